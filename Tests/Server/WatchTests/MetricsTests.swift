import Foundation
import ServerHarness
import Testing

/// What a server counts, as Prometheus reads it.
@Suite("Metrics")
struct MetricsTests {
    private struct Fixture {
        let installation: TestInstallation
        let server: TestServer

        init() async throws {
            installation = try await TestInstallation(environment: TestServer.metricsOn)
            server = try await installation.startServer()
        }

        func bank(_ settings: [String] = [], _ holders: [TestCardholder]) async throws -> TestBank {
            let bank = try await installation.makeBank(settings)
            try await installation.provision(holders, of: bank, through: server)
            return bank
        }
    }

    private static let fetch = #"operation="POST /v1/pin-distribution/captcha""#
    private static let tokenFetch = #"operation="POST /v1/pin-distribution/token/captcha""#

    private func answers(_ operation: String, _ status: Int, _ code: String) -> String {
        "requests_total{\(operation),status=\"\(status)\",code=\"\(code)\"}"
    }

    @Test("Requests are counted by operation and true code, with how long they took")
    func requests() async throws {
        let fixture = try await Fixture()
        let (server, holder) = (fixture.server, TestCardholder())
        let bank = try await fixture.bank(["--uniform-errors", "true"], [holder])
        let app = try TestApp()
        // Prometheus sees no increase of a counter that begins at one.
        let before = try await server.scrape()
        for code in ["0", "203", "307", "304", "305", "500"] { #expect(before[answers(Self.fetch, 200, code)] == 0) }
        for status in [500, 503] { #expect(before[answers(Self.fetch, status, "none")] == 0) }
        #expect(before[answers(#"operation="POST /v1/pin-definition/pin""#, 200, "300")] == 0)
        #expect(try await server.post(Path.captcha, app.captcha(bank, holder)).code == 0)
        var wrong = holder
        wrong.code = "Wrong123"
        // The third wrong code locks. Then the right one is answered as if it were wrong too.
        // The first fetch has spent the hashMac of its second.
        let earlier = TestBank.timestamp(-60)
        for _ in 0..<3 {
            #expect(try await server.post(Path.captcha, app.captcha(bank, wrong, timestamp: earlier)).code == 203)
        }
        #expect(try await server.post(Path.captcha, app.captcha(bank, holder, timestamp: earlier)).code == 203)
        #expect(try await server.post(Path.captcha, bytes: Array("{".utf8)).status == 400)
        #expect(try await server.request("GET", Path.captcha).status == 405)
        #expect(try await server.request("GET", "/nothing").status == 404)
        #expect(try await server.request("GET", "/health/live").status == 200)
        #expect(try await server.request("HEAD", "/health/live").status == 200)

        let scrape = try await server.scrape()
        #expect(scrape[answers(Self.fetch, 200, "0")] == 1)
        #expect(scrape[answers(Self.fetch, 200, "203")] == 3)
        #expect(scrape[answers(Self.fetch, 200, "307")] == 1)
        #expect(scrape[answers(Self.fetch, 400, "none")] == 1)
        #expect(scrape[answers(#"operation="none""#, 405, "none")] == 1)
        #expect(scrape[answers(#"operation="none""#, 404, "none")] == 1)
        #expect(scrape[answers(#"operation="GET /health/live""#, 200, "none")] == 2)
        #expect(scrape["request_duration_seconds_count{\(Self.fetch)}"] == 6)
        #expect(scrape["request_duration_seconds_bucket{\(Self.fetch),le=\"+Inf\"}"] == 6)
        let seconds = try #require(scrape["request_duration_seconds_sum{\(Self.fetch)}"])
        #expect(seconds > 0 && seconds < 600)
        #expect(scrape[#"lockouts_total{reason="wrong_codes"}"#] == 1)
        #expect(scrape[#"lockouts_total{reason="unconfirmed_fetches"}"#] == 0)
        for text in [holder.uniqueId, "Code4711", "Wrong123", "4917", bank.id] {
            #expect(!scrape.text.contains("\"\(text)\""), "\(text)")
        }
    }

    @Test("Replays are counted by what came again, and so are cardholders that unconfirmed fetches lock")
    func replays() async throws {
        let fixture = try await Fixture()
        let (server, holder) = (fixture.server, TestCardholder())
        let bank = try await fixture.bank(["--fetch-limit", "2"], [holder])
        let app = try TestApp()
        let body = try app.captcha(bank, holder)
        #expect(try await server.post(Path.captcha, body).code == 0)
        #expect(try await server.post(Path.captcha, body).code == 205)
        let token = try app.tokenCaptcha(bank, bank.token(for: holder))
        #expect(try await server.post(Path.tokenCaptcha, token).code == 0)
        for _ in 0..<2 { #expect(try await server.post(Path.tokenCaptcha, token).code == 210) }
        let issuer = try await fixture.installation.makeIssuer(for: bank)
        let call = IssuerCall("GET", "/v1/banks/\(bank.id)/cardholders/\(holder.uniqueId)")
        #expect(try await server.call(call, by: issuer).status == 200)
        #expect(try await server.call(call, by: issuer).status == 401)

        let scrape = try await server.scrape()
        #expect(scrape[#"replays_refused_total{kind="hashmac"}"#] == 1)
        #expect(scrape[#"replays_refused_total{kind="token"}"#] == 2)
        #expect(scrape[#"replays_refused_total{kind="nonce"}"#] == 1)
        #expect(scrape[#"lockouts_total{reason="unconfirmed_fetches"}"#] == 1)
        #expect(scrape[answers(Self.tokenFetch, 200, "210")] == 2)
        let get = #"operation="GET /v1/banks/{bankId}/cardholders/{uniqueId}""#
        #expect(scrape[answers(get, 200, "none")] == 1)
        #expect(scrape[answers(get, 401, "none")] == 1)
        #expect(!scrape.text.contains(holder.uniqueId) && !scrape.text.contains(token["signature"]?.string ?? "?"))
    }

    @Test("Lines of imports, the database's pool, drawing, housekeeping, clock and vault have their metrics")
    func parts() async throws {
        let fixture = try await Fixture()
        let (server, holder) = (fixture.server, TestCardholder())
        let bank = try await fixture.bank([], [holder])
        #expect(try await server.post(Path.captcha, TestApp().captcha(bank, holder)).code == 0)
        let issuer = try await fixture.installation.makeIssuer(for: bank)
        let line = try TestCardholder().line(sealedTo: try await server.sealingKey(), of: bank.id)
        let body = Array("\(line)\n{\"uniqueId\":7}\n".utf8)
        var call = IssuerCall("POST", "/v1/banks/\(bank.id)/cardholders:import", body: body)
        call.headers = [("Content-Type", "application/x-ndjson")]
        call.components = ["@method", "@authority", "@path", "content-digest"]
        #expect(try await server.call(call, by: issuer).status == 200)

        try await eventually("housekeeping has run, and the installation was looked at") {
            let scrape = try await server.scrape()
            return scrape["housekeeping_last_run_timestamp_seconds"] ?? 0 > 0
                && scrape["observation_timestamp_seconds"] ?? 0 > 0
        }
        try await eventually("nothing waits for the database or is drawn") {
            let scrape = try await server.scrape()
            return scrape["database_requests_waiting"] == 0 && scrape["drawing_jobs"] == 0
        }
        let scrape = try await server.scrape()
        #expect(scrape[#"import_lines_total{outcome="created"}"#] == 1)
        #expect(scrape[#"import_lines_total{outcome="refused"}"#] == 1)
        #expect(scrape["database_connections_limit"] == 8)
        #expect(try #require(scrape["database_connections"]) >= 1)
        #expect(try #require(scrape["database_acquire_duration_seconds_count"]) > 10)
        #expect(scrape["database_connect_failures_total"] == 0 && scrape["drawing_refused_total"] == 0)
        #expect(try #require(scrape["drawing_jobs_limit"]) >= 65)
        #expect(scrape["vault_open"] == 1 && scrape["secure_heap_fallbacks_total"] == 0)
        #expect(scrape[#"housekeeping_failures_total{kind="proofs"}"#] == 0)
        #expect(scrape["schema_version"] == 2 && scrape[#"build_info{version="0.2.0"}"#] == 1)
        #expect(try #require(scrape[#"data_key_uses{purpose="pins"}"#]) >= 0)
        let now = Double(TestBank.timestamp())
        for name in ["housekeeping_last_run", "vault_last_proof", "observation"] {
            #expect(abs(now - (scrape["\(name)_timestamp_seconds"] ?? 0)) < 120, "\(name)")
        }
        #expect(abs(try #require(scrape["clock_skew_seconds"])) < 5)
        let requests = scrape.values.keys.filter { $0.hasPrefix("card_companion_requests_total") }
        #expect(requests.count < 350)
    }

    @Test(
        "Each bank has what its webhook lacks, and when its certificates and CRLs expire; a bank that is gone has nothing"
    )
    func banks() async throws {
        let fixture = try await Fixture()
        let (bank, gone) = (try await fixture.bank([], []), try await fixture.bank([], []))
        let authority = try await TestAuthority.shared.value
        let list = try await authority.revocationList(of: [])
        for bank in [bank, gone] {
            try await fixture.installation.run([
                "certificate", "import-crl", "--bank", bank.id, "--ca", authority.certificateFile, list,
            ]).succeeded()
        }
        // Nobody listens there.
        try await fixture.installation.run([
            "webhook", "set", "--bank", bank.id, "--allow-private", "http://127.0.0.1:9/",
        ]).succeeded()
        try await fixture.installation.sql(
            """
            INSERT INTO event (bank_id, type, data, occurred_at)
                VALUES ('\(bank.id)', 'certificate.expiring', '{}', now()), ('\(bank.id)', 'certificate.expiring', '{}', now());
            UPDATE webhook_delivery SET pending_since = now() - interval '1 hour';
            UPDATE certificate SET not_after = now() + interval '40 days' WHERE bank_id = '\(bank.id)';
            UPDATE revocation_list SET next_update = now() + interval '1 day' WHERE bank_id = '\(bank.id)';
            INSERT INTO trust_list (scope, list, root, sealed_digest, signed_at, imported_at)
                VALUES ('', '0', '0', '0', now() - interval '9 days', now());
            """)
        try await fixture.installation.attack(
            """
            INSERT INTO chosen_pin (bank_id, unique_id, pin_serial, event_id, state, stated_at)
                SELECT '\(bank.id)', number, 1, 'AAAAAAAAAAAAAAAAAAAAA' || number, state, now()
                FROM (VALUES ('1', 'pending'), ('2', 'sent')) AS pins (number, state);
            INSERT INTO forwarded_pin (bank_id, unique_id, event_id, subject, defined_at, next_attempt_at)
                SELECT bank_id, unique_id, event_id, '', now() - interval '2 hours', now()
                FROM chosen_pin WHERE bank_id = '\(bank.id)'
            """)
        func series(_ name: String, _ bank: TestBank, _ more: String = "") -> String {
            "\(name){bank=\"\(bank.id)\"\(more)}"
        }
        let use = #",use="signature""#
        let certificate = "certificate_expiry_timestamp_seconds"
        try await eventually("the server has looked, and has tried to send") {
            let scrape = try await fixture.server.scrape()
            return scrape[series("webhook_pending_events", bank)] == 2 && scrape[series(certificate, gone, use)] != nil
                && scrape[#"webhook_attempts_total{outcome="refused"}"#] ?? 0 >= 1
        }
        let scrape = try await fixture.server.scrape()
        let age = try #require(scrape[series("webhook_oldest_pending_age_seconds", bank)])
        #expect(3600...3900 ~= age)
        #expect(scrape[series("webhook_parked_events", bank)] == 0)
        // The host has the other one.
        #expect(scrape[series("forwarded_pins_waiting", bank)] == 1)
        let forwardAge = try #require(scrape[series("forwarded_pin_oldest_age_seconds", bank)])
        #expect(7200...7500 ~= forwardAge)
        let now = Double(TestBank.timestamp())
        #expect(abs(try #require(scrape[series(certificate, bank, use)]) - now - 40 * 86400) < 300)
        let listExpiry = try #require(scrape[series("revocation_list_expiry_timestamp_seconds", bank)])
        #expect(abs(listExpiry - now - 86400) < 300)
        let signedAt = try #require(scrape[#"trust_list_signed_timestamp_seconds{bank="all"}"#])
        #expect(abs(signedAt - now + 9 * 86400) < 300)

        // A series with another name or other labels than its metric would be missing here.
        try await eventually("each metric has a value") {
            let scrape = try await fixture.server.scrape()
            let empty = scrape.types.filter { name, type in
                let line = type == "histogram" ? "\(name)_count" : name
                return !scrape.values.keys.contains { $0 == line || $0.hasPrefix("\(line){") }
            }
            return Set(empty.keys) == ["card_companion_tls_certificate_expiry_timestamp_seconds"]
        }

        // Of a certificate that has expired, and of one that is valid, the valid one counts. A disabled bank needs none.
        try await fixture.installation.sql(
            """
            UPDATE certificate SET not_before = now() - interval '9 days', not_after = now() - interval '1 day'
            WHERE bank_id = '\(bank.id)';
            UPDATE bank SET status = 'DISABLED' WHERE bank_id = '\(gone.id)';
            DELETE FROM webhook_delivery;
            """)
        try await eventually("the server has looked again") {
            try await fixture.server.scrape()[series("webhook_pending_events", bank)] == nil
        }
        let later = try await fixture.server.scrape()
        #expect(try #require(later[series(certificate, bank, use)]) < now)
        #expect(!later.text.contains(gone.id))
    }

    @Test("The expiry of the server's own certificate is known, and the metrics need no TLS")
    func tlsCertificate() async throws {
        let (key, certificate) = (TestFolder.shared.unused("key.pem"), TestFolder.shared.unused("chain.pem"))
        try await TestCommand.run(
            "openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=x",
                "-days",
                "10", "-keyout", key, "-out", certificate,
            ]
        ).succeeded()
        let installation = try await TestInstallation(environment: TestServer.metricsOn)
        let server = try await installation.startServer([
            "--http-tls-certificate", certificate, "--http-tls-key", key,
        ])
        let name = "tls_certificate_expiry_timestamp_seconds"
        try await eventually("the file was read") { try await server.scrape()[name] != nil }
        let expiry = try #require(try await server.scrape()[name])
        #expect(abs(expiry - Double(TestBank.timestamp()) - 10 * 86400) < 300)
    }
}

/// The listener at which metrics are read, and what reads them.
@Suite("The admin listener")
struct AdminListenerTests {
    private static let server = Once {
        try await TestInstallation(environment: TestServer.metricsOn).startServer()
    }

    @Test("It serves GET and HEAD of /metrics and of the liveness, and nothing else")
    func paths() async throws {
        let server = try await Self.server.value
        let metrics = try await server.adminRequest("GET", "/metrics")
        #expect(metrics.status == 200)
        #expect(metrics["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8")
        let head = try await server.adminRequest("HEAD", "/metrics")
        #expect(head.status == 200 && head.body.isEmpty)
        #expect(try await server.adminRequest("GET", "/health/live").status == 200)
        for (method, path) in [
            ("POST", "/metrics"), ("PUT", "/metrics"), ("DELETE", "/metrics"), ("GET", "/"), ("GET", "/metrics/x"),
            ("GET", "/health/ready"), ("GET", "/.well-known/jwks.json"), ("POST", Path.captcha),
        ] {
            let answer = try await server.adminRequest(method, path)
            #expect(answer.status == 404, "\(method) \(path)")
        }
        #expect(try await server.request("GET", "/metrics").status == 404)
    }

    @Test("Bound to loopback, it answers only for names of this machine: DNS rebinding reads nothing")
    func names() async throws {
        let server = try await TestInstallation(environment: TestServer.metricsOn)
            .startServer(environment: ["LOG_LEVEL": "debug"])
        for hosts in [["localhost"], ["LOCALHOST:9464"], ["127.0.0.1"], ["127.0.0.1:1"], ["[::1]:9464"], []] {
            #expect(try await server.adminRequest("GET", "/metrics", hosts: hosts).status == 200, "\(hosts)")
        }
        for hosts in [
            ["rebind.example"], ["rebind.example:9464"], ["localhost.rebind.example"], ["127.0.0.2"], [""], ["::1"],
            ["localhost", "rebind.example"],
        ] {
            for path in ["/metrics", "/health/live", "/nothing"] {
                let answer = try await server.adminRequest("GET", path, hosts: hosts)
                #expect(answer.status == 421, "\(hosts)")
                let tells = String(decoding: answer.body, as: UTF8.self).contains("card_companion")
                #expect(!tells)
            }
            #expect(try await server.adminRequest("HEAD", "/metrics", hosts: hosts).status == 421)
        }
        try await eventually("the log says why") {
            !server.logLines(with: "Host is no name of this machine", "localhost.rebind.example").isEmpty
        }
    }

    @Test("Bound to an address of other machines, it answers for all names")
    func allNames() async throws {
        let server = try await TestInstallation(environment: TestServer.metricsOn)
            .startServer(["--admin-host", "0.0.0.0"])
        #expect(try await server.adminRequest("GET", "/metrics", hosts: ["metrics.example:9464"]).status == 200)
    }

    @Test("promtool accepts the metrics, each metric has a help and a type, and each series is of a metric")
    func promtool() async throws {
        let scrape = try await Self.server.value.scrape()
        let checked = try await TestCommand.run("promtool", ["check", "metrics"], stdin: scrape.text)
        #expect(checked.status == 0, "\(checked.stderr)")
        #expect(scrape.types.count > 30)
        for series in scrape.values.keys {
            #expect(scrape.names.contains(String(series.prefix { $0 != "{" })), "\(series)")
        }
    }

    @Test("Without admin.port there is no listener; with an address of other machines there is a warning")
    func settings() async throws {
        let installation = try await TestInstallation()
        let plain = try await installation.startServer()
        #expect(plain.logLines(with: "metrics").isEmpty)
        try await plain.stop()
        let open = try await installation.startServer(["--admin-host", "0.0.0.0", "--admin-port", "0"])
        try await eventually("it warns") {
            open.logLines(with: "The metrics are served to other machines", "warning").count == 1
        }
        #expect(try await open.adminRequest("GET", "/metrics").status == 200)
        #expect(try await open.stop() == 0)
        let usedPort = try await Self.server.value.adminPort
        let log: String
        do {
            let second = try await installation.startServer(["--admin-port", "\(usedPort)"])
            #expect(try await second.ended() != 0)
            log = second.log
        } catch let failed as ServerFailed {
            log = failed.log
        }
        #expect(log.contains("cannot listen on 127.0.0.1 port \(usedPort)") && log.contains("set admin.port"))
        let refused = try await installation.run(["check-config", "--admin-host", "127.0.0.1"])
        #expect(refused.status == 78 && refused.stderr.contains("admin.port"))
    }
}
