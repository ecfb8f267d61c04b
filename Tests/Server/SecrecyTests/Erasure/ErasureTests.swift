import Foundation
import ServerHarness
import Testing

/// What PCI Card Production and Provisioning (logical security) says of electronic PIN distribution, rule by rule. Every column
/// of every table is searched.
@Suite("Erasure")
struct ErasureTests {
    /// How a cardholder reached the server.
    enum Arrival: String, CaseIterable, Sendable {
        case put, patch, importByCall, importByCommand
    }

    private struct Fixture {
        let installation: TestInstallation
        let server: TestServer
        let bank: TestBank
        let issuer: TestIssuer
        let key: SealingKey
        let holder: TestCardholder

        init(_ settings: [String] = []) async throws {
            installation = try await TestInstallation()
            server = try await installation.startServer(["--log-level", "trace"])
            bank = try await installation.makeBank(["--pin-maximum-length", "12", "--retention", "erase"] + settings)
            issuer = try await installation.makeIssuer(for: bank)
            key = try await server.sealingKey()
            holder = TestCardholder(code: Secrets.code(), pin: Secrets.pin())
        }

        var pin: [String] { TableForms.all(holder.pin ?? "") }
        var code: [String] { TableForms.all(holder.code ?? "") }

        /// Provisions the cardholder, and returns what was sent.
        @discardableResult
        func provision(_ arrival: Arrival = .put) async throws -> [String: JSON] {
            let members = try holder.members(sealedTo: key, of: bank.id)
            let line = JSON.object(members.merging(["uniqueId": .string(holder.uniqueId)]) { $1 }).text
            switch arrival {
            case .put: #expect(try await call("PUT", members) == 201)
            case .patch:
                #expect(try await call("PUT", [:]) == 201)
                #expect(try await call("PATCH", members) == 200)
            case .importByCall:
                var call = IssuerCall(
                    "POST", "/v1/banks/\(Percent.encode(bank.id))/cardholders:import", body: Array(line.utf8))
                call.headers = [("Content-Type", "application/x-ndjson")]
                call.components = ["@method", "@authority", "@path", "content-digest"]
                #expect(try await server.call(call, by: issuer).status == 200)
            case .importByCommand:
                try await installation.run(["cardholder", "import", "--bank", bank.id, "-"], stdin: line).succeeded()
            }
            return members
        }

        /// A call with an Idempotency-Key; returns the status.
        func call(_ method: String, _ members: [String: JSON]) async throws -> Int {
            try await server.call(
                method, cardholder: holder.uniqueId, members, headers: [("Idempotency-Key", UUID().uuidString)],
                by: issuer
            ).status
        }

        /// The cardholder's columns with secrets, as they stand: what is sealed, and MACs without the ids of their keys too.
        func sealedValues() async throws -> [String] {
            let values = try await installation.sql(
                """
                SELECT encode(value, 'hex') FROM cardholder, unnest(ARRAY[
                    sealed_pin, code_mac, substring(sealed_pin FROM 17), substring(code_mac FROM 5)]) AS value
                WHERE unique_id = '\(holder.uniqueId)' AND value IS NOT NULL
                UNION ALL
                SELECT encode(value, 'hex') FROM delivery_session, unnest(ARRAY[
                    token_mac, substring(token_mac FROM 5)]) AS value
                WHERE unique_id = '\(holder.uniqueId)' AND value IS NOT NULL
                """)
            return values
        }

        /// Fetches by token and by code, and confirms the delivery by token.
        func deliver() async throws -> (token: TestToken, delivery: TestDelivery) {
            let app = try TestApp()
            _ = try await server.post(Path.tokenCaptcha, app.tokenCaptcha(bank, bank.token(for: holder)))
            let byCode = try await server.post(Path.captcha, app.captcha(bank, holder))
            #expect(byCode.code == 0)
            let token = bank.token(for: holder)
            let delivery = try app.open(try await server.post(Path.tokenCaptcha, app.tokenCaptcha(bank, token)))
            return (token, delivery)
        }

        func confirm(_ delivery: TestDelivery, _ token: TestToken) async throws -> Int? {
            try await server.post(Path.tokenNotify, delivery.tokenNotify(bank, holder, token: token)).code
        }
    }

    @Test(
        "After the confirmed delivery neither PIN nor code is in any table, sealed or as a MAC",
        arguments: Arrival.allCases)
    func delivered(arrival: Arrival) async throws {
        let fixture = try await Fixture()
        let sent = try await fixture.provision(arrival)
        let (token, delivery) = try await fixture.deliver()
        let values = try await fixture.sealedValues()
        // PIN and code, and the tokens of two sessions; each with and without the key's id.
        #expect(values.count == 8)
        let before = try await Tables(of: fixture.installation)
        #expect(before.holding(values) == ["cardholder", "delivery_session"])

        #expect(try await fixture.confirm(delivery, token) == 0)
        let after = try await Tables(of: fixture.installation)
        #expect(after.holding([fixture.holder.uniqueId]).contains("event"), "the search finds nothing")
        #expect(after.holding(values) == [])
        #expect(after.holding(fixture.pin + fixture.code) == [])
        // What the bank has sent is nowhere either. (A digest of it is: of ciphertext, from which nothing can be guessed.)
        #expect(after.holding(sent.values.compactMap(\.string)) == [])

        // A repetition of the notify is answered as before.
        #expect(try await fixture.confirm(delivery, token) == 0)
        // There is no PIN to fetch, and no code to guess: nobody can lock the cardholder with wrong ones.
        for code in [fixture.holder.code, "Wrong4711"] {
            var holder = fixture.holder
            holder.code = code
            for _ in 0..<3 {
                let fetch = try TestApp().tokenCaptcha(fixture.bank, fixture.bank.token(for: holder))
                #expect(try await fixture.server.post(Path.tokenCaptcha, fetch).code == 303)
            }
        }
    }

    @Test("What the bank sends again does not bring PIN or code back; a new PIN comes with its code")
    func sentAgain() async throws {
        let fixture = try await Fixture()
        let sent = try await fixture.provision()
        let (token, delivery) = try await fixture.deliver()
        #expect(try await fixture.confirm(delivery, token) == 0)
        let columns = "SELECT sealed_pin IS NULL, code_mac IS NULL, version FROM cardholder"
        let erased = try await fixture.installation.sql(columns)
        #expect(erased.first?.hasPrefix("t|t|") == true)
        #expect(try await fixture.call("PUT", sent) == 200)
        #expect(try await fixture.call("PATCH", sent) == 200)
        let line = JSON.object(sent.merging(["uniqueId": .string(fixture.holder.uniqueId)]) { $1 }).text
        try await fixture.installation.run(["cardholder", "import", "--bank", fixture.bank.id, "-"], stdin: line)
            .succeeded()
        #expect(try await fixture.installation.sql(columns) == erased)

        let next = TestCardholder(fixture.holder.uniqueId, code: Secrets.code(), pin: Secrets.pin())
        #expect(try await fixture.call("PUT", next.members(sealedTo: fixture.key, of: fixture.bank.id)) == 200)
        let fetch = try TestApp().tokenCaptcha(fixture.bank, fixture.bank.token(for: next))
        #expect(try await fixture.server.post(Path.tokenCaptcha, fetch).code == 0)
    }

    @Test("An import that is not complete leaves no PIN and no code in any table")
    func brokenImport() async throws {
        let fixture = try await Fixture()
        let members = try fixture.holder.members(sealedTo: fixture.key, of: fixture.bank.id)
        let line = JSON.object(members.merging(["uniqueId": .string(fixture.holder.uniqueId)]) { $1 }).text
        var call = IssuerCall(
            "POST", "/v1/banks/\(Percent.encode(fixture.bank.id))/cardholders:import", body: Array(line.utf8))
        call.headers = [("Content-Type", "application/x-ndjson")]
        call.components = ["@method", "@authority", "@path", "content-digest"]
        // The body is another one than that of the signature.
        call.digest = .value(IssuerCall.contentDigest(Array("another".utf8)))
        _ = try await fixture.server.call(call, by: fixture.issuer)
        let tables = try await Tables(of: fixture.installation)
        #expect(tables.rows["import_line"] == [])
        #expect(tables.rows["cardholder"] == [])
        #expect(tables.holding(fixture.pin + fixture.code + members.values.compactMap(\.string)) == [])
    }

    @Test("A PIN that is not delivered is in no table after its lifetime")
    func undelivered() async throws {
        let fixture = try await Fixture()
        try await fixture.provision()
        let pin = try await fixture.installation.sql("SELECT encode(sealed_pin, 'hex') FROM cardholder")
        #expect(try await Tables(of: fixture.installation).holding(pin) == ["cardholder"])
        try await fixture.installation.sql(
            """
            UPDATE cardholder SET pin_expires_at = now() - interval '1 s';
            UPDATE pin_expiry SET expires_at = now() - interval '1 s'
            """)
        let cleaner = try await fixture.installation.startServer(["--housekeeping-interval-seconds", "1"])
        try await eventually("the PIN is erased") {
            try await fixture.installation.sql("SELECT sealed_pin IS NULL FROM cardholder") == ["t"]
        }
        try await cleaner.stop()
        #expect(try await Tables(of: fixture.installation).holding(pin + fixture.pin) == [])
    }

    @Test("A chosen PIN is nowhere after its own confirmed delivery, except sealed to the bank until the bank has it")
    func defined() async throws {
        let fixture = try await Fixture(["--weak-pin-rules", "none", "--defined-pins", "deliver"])
        try await fixture.installation.importEncryptionCertificate(into: fixture.bank)
        try await fixture.provision()
        let chosen = Secrets.pin()
        let definition = fixture.bank.token(for: fixture.holder, type: "02")
        let defined = try await fixture.server.post(
            "/v1/pin-definition/token/pin",
            [
                "token": .string(definition.text),
                "signature": .string(try fixture.bank.signer.signature(of: definition.text)),
                "pin": .string(try fixture.key.seal(Array(chosen.utf8), SealedBinding("pin", for: definition))),
            ])
        #expect(defined.code == 0, "\(defined.members)")
        let jwe = try await fixture.installation.sql("SELECT pin FROM defined_pin")
        #expect(jwe.count == 1)
        let (token, delivery) = try await fixture.deliver()
        let values = try await fixture.sealedValues()
        #expect(try await fixture.confirm(delivery, token) == 0)
        let after = try await Tables(of: fixture.installation)
        #expect(after.holding(values + TableForms.all(chosen)) == [])
        #expect(after.holding(jwe) == ["defined_pin"])

        let page = try await fixture.server.events(by: fixture.issuer)
        let cursor = try #require(page.members["next"]?.string)
        let path = "/v1/banks/\(Percent.encode(fixture.bank.id))/events"
        let acknowledged = try await fixture.server.call(
            IssuerCall("DELETE", path, query: "?upTo=\(Percent.encode(cursor))"), by: fixture.issuer)
        #expect(acknowledged.status == 204, "\(acknowledged.members)")
        #expect(try await Tables(of: fixture.installation).holding(jwe) == [])
    }

    @Test("An identifier that is a card number is refused, and so is one in the free field; nothing of it is stored")
    func cardNumbers() async throws {
        let fixture = try await Fixture()
        let pan = "4929123456789015"
        let holder = TestCardholder(pan)
        let named = try await fixture.server.call(
            "PUT", cardholder: pan, holder.members(sealedTo: fixture.key, of: fixture.bank.id), by: fixture.issuer)
        #expect(named.status == 422)
        let free = TestCardholder(freeField: "Card \(pan)")
        let freeAnswer = try await fixture.server.call(
            "PUT", cardholder: free.uniqueId, free.members(sealedTo: fixture.key, of: fixture.bank.id),
            by: fixture.issuer)
        #expect(freeAnswer.status == 422)
        let line = try holder.line(sealedTo: fixture.key, of: fixture.bank.id)
        _ = try await fixture.installation.run(["cardholder", "import", "--bank", fixture.bank.id, "-"], stdin: line)
        let tables = try await Tables(of: fixture.installation)
        #expect(tables.rows["cardholder"] == [])
        #expect(tables.holding(TableForms.all(pan)) == [])
        #expect(!fixture.server.log.contains(pan))
    }

    @Test("A code that is the cardholder's identifier is refused")
    func codeIsNotTheIdentifier() async throws {
        let fixture = try await Fixture()
        let holder = TestCardholder("Holder4711", code: "Holder4711")
        let body = try holder.members(sealedTo: fixture.key, of: fixture.bank.id)
        #expect(
            try await fixture.server.call("PUT", cardholder: holder.uniqueId, body, by: fixture.issuer).status == 422)
        let line = try holder.line(sealedTo: fixture.key, of: fixture.bank.id)
        _ = try await fixture.installation.run(["cardholder", "import", "--bank", fixture.bank.id, "-"], stdin: line)
        #expect(try await fixture.installation.sql("SELECT count(*) FROM cardholder") == ["0"])
    }

    @Test("No answer, event, export, command or log returns a PIN or a code in clear")
    func shown() async throws {
        let fixture = try await Fixture(["--weak-pin-rules", "none"])
        let (bank, holder, server) = (fixture.bank, fixture.holder, fixture.server)
        var texts: [String] = []
        func keep(_ answer: HTTPAnswer) { texts.append(String(decoding: answer.body, as: UTF8.self)) }
        let members = try holder.members(sealedTo: fixture.key, of: bank.id)
        keep(try await server.call("PUT", cardholder: holder.uniqueId, members, by: fixture.issuer))
        // Refused: the PIN is sealed for another cardholder, and the code is too short.
        keep(try await server.call("PUT", cardholder: "other", members, by: fixture.issuer))
        keep(try await server.call("PATCH", cardholder: holder.uniqueId, members, by: fixture.issuer))
        keep(try await server.call("GET", cardholder: holder.uniqueId, by: fixture.issuer))
        let (token, delivery) = try await fixture.deliver()
        var mistaken = holder
        mistaken.code = Secrets.code()
        keep(try await server.post(Path.captcha, TestApp().captcha(bank, mistaken, timestamp: TestBank.timestamp(-1))))
        keep(
            try await server.post(Path.tokenNotify, delivery.tokenNotify(bank, holder, token: token)))
        keep(try await server.events(by: fixture.issuer))
        keep(try await server.call("GET", cardholder: holder.uniqueId, by: fixture.issuer))
        for command in [
            ["cardholder", "show", "--bank", bank.id, holder.uniqueId, "--json"], ["bank", "show", bank.id, "--json"],
            ["audit", "show", "--json"], ["audit", "export"], ["vault", "status", "--json"],
        ] {
            let result = try await fixture.installation.run(command)
            texts.append(result.stdout + result.stderr)
        }
        texts.append(server.log)
        let all = texts.joined(separator: "\n")
        #expect(all.contains(holder.uniqueId) && all.contains("pin.delivered"), "the search finds nothing")
        let secrets = fixture.pin + fixture.code + TableForms.all(mistaken.code ?? "")
        #expect(secrets.filter(all.contains) == [])
    }

    @Test("The PIN is opened only for a caller who is right in everything: before that, a damaged one is not noticed")
    func openedLast() async throws {
        let fixture = try await Fixture()
        let (bank, holder, server) = (fixture.bank, fixture.holder, fixture.server)
        try await fixture.provision()
        try await fixture.installation.sql("UPDATE cardholder SET sealed_pin = sealed_pin || '\\x00'::bytea")
        var (mistaken, stranger) = (holder, holder)
        mistaken.code = "Wrong4711"
        stranger.uniqueId = "nobody"
        let app = try TestApp()
        let token = bank.token(for: holder)
        let other = try await TestAuthority.shared.value.otherSigner
        var wrongHMAC = try app.captcha(bank, holder)
        wrongHMAC["hashMac"] = .string(String(repeating: "0", count: 64))
        let refusals: [(code: Int, answer: HTTPAnswer)] = [
            (205, try await server.post(Path.captcha, wrongHMAC)),
            (200, try await server.post(Path.captcha, app.captcha(bank, holder, timestamp: TestBank.timestamp(-9999)))),
            (206, try await server.post(Path.tokenCaptcha, app.tokenCaptcha(bank, token, signer: other))),
            (301, try await server.post(Path.tokenCaptcha, app.tokenCaptcha(bank, bank.token(for: stranger)))),
            (203, try await server.post(Path.tokenCaptcha, app.tokenCaptcha(bank, bank.token(for: mistaken)))),
        ]
        for (code, answer) in refusals { #expect(answer.code == code) }
        #expect(server.logLines(with: "error").isEmpty)
        // Only now it is opened, and found to be damaged.
        #expect(try await server.post(Path.tokenCaptcha, app.tokenCaptcha(bank, bank.token(for: holder))).code == 305)
    }
}

extension MemoryTests {
    @Suite("Erasure from memory", .serialized)
    struct ErasureMemoryTests {
        @Test("After the image is drawn the PIN is not in the server's memory")
        func drawn() async throws {
            let installation = try await TestInstallation()
            let server = try await installation.startServer()
            let bank = try await installation.makeBank(["--pin-maximum-length", "12"])
            let holder = TestCardholder(code: Secrets.code(), pin: Secrets.pin())
            try await installation.provision([holder], of: bank, through: server)
            let app = try TestApp()
            let answer = try await server.post(Path.tokenCaptcha, app.tokenCaptcha(bank, bank.token(for: holder)))
            #expect(try !app.open(answer).images.isEmpty)
            let control = Needle("control", bank.id)
            let needles = Forms.plain("the PIN", holder.pin ?? "") + [control]
            #expect(try await Core.find(needles, in: .all, of: server) == [control.name])
        }
    }
}
