import Foundation
import PythonOracle
import ServerHarness
import Testing

/// HTTP/2 over TLS, which apps choose by ALPN. The client is Python's h2.
@Suite("HTTP/2", .enabled(if: PythonOracle.isAvailable, Comment(rawValue: PythonOracle.absence)))
struct HTTP2Tests {
    private let oracle = PythonOracle(script: "Oracles/http2_client.py")

    private func server(
        of installation: TestInstallation? = nil, _ environment: [String: String] = [:]
    ) async throws -> TestServer {
        let certificate = try await TestCertificate()
        let settings = certificate.environment.merging(environment) { $1 }
        if let installation { return try await installation.startServer(environment: settings) }
        return try await TestInstallation().startServer(environment: settings)
    }

    private func ask(
        _ question: String, _ server: TestServer, _ arguments: [String: String] = [:]
    ) async throws -> [String: String] {
        try await oracle.ask(question, arguments.merging(["port": "\(server.port)"]) { $1 })
    }

    @Test("A PIN is fetched over HTTP/2, beside another request on the same connection")
    func fetch() async throws {
        let installation = try await TestInstallation()
        let bank = try await installation.makeBank(["--retention", "keep-repeat", "--fetch-limit", "50"])
        let holder = TestCardholder()
        let plain = try await installation.startServer()
        try await installation.provision([holder], of: bank, through: plain)
        let server = try await server(of: installation)
        let body = JSON.object(try TestApp().tokenCaptcha(bank, bank.token(for: holder))).text
        let answer = try await ask("post", server, ["path": Path.tokenCaptcha, "body": body])
        #expect(answer["status"] == "200" && answer["health"] == "200")
        #expect(try JSON(parsing: answer["body"] ?? "").object?["errorCode"] == 0)
        #expect(try await plain.stop() == 0)
    }

    @Test(
        "A client chooses the protocol, and one that chooses nothing gets HTTP/1.1",
        arguments: [("--http2", "2"), ("--http1.1", "1.1"), ("--no-alpn", "1.1")])
    func negotiation(option: String, version: String) async throws {
        let server = try await server()
        let result = try await TestCommand.run(
            "curl",
            [
                "--silent", "--insecure", option, "--output", "/dev/null", "--write-out",
                "%{http_version} %{http_code}", server.url + "/health/live",
            ]
        ).succeeded()
        #expect(result.stdout == "\(version) 200")
    }

    @Test(
        "Host beside :authority must say the same, once",
        arguments: [
            ([], "200"), (["AUTHORITY"], "200"), (["other.example"], "400"), (["AUTHORITY", "AUTHORITY"], "400"),
            (["AUTHORITY", "other.example"], "400"),
        ])
    func hosts(fields: [String], status: String) async throws {
        let server = try await server()
        let hosts = fields.map { $0 == "AUTHORITY" ? "127.0.0.1:\(server.port)" : $0 }.joined(separator: " ")
        let answer = try await ask("hosts", server, ["hosts": hosts])
        #expect(answer["status"] == status)
        if status == "400" { #expect(answer["body"]?.contains("one Host field") == true) }
    }

    @Test("A request whose body does not come is reset, and the connection serves others")
    func slowBody() async throws {
        let answer = try await ask("slow_body", try await server())
        #expect(answer == ["reset": "True", "other": "200"])
    }

    @Test(
        "An address has as many open streams as it can have connections, and all have as many as the server",
        arguments: ["HTTP_ADDRESS_CONNECTIONS=20", "HTTP_CONNECTIONS=20"])
    func tooMany(setting: String) async throws {
        let parts = setting.split(separator: "=").map(String.init)
        var environment = [parts[0]: parts[1]]
        if parts[0] == "HTTP_CONNECTIONS" { environment["HTTP_ADDRESS_CONNECTIONS"] = "20" }
        let answer = try await ask("many", try await server(environment), ["count": "50", "expected": "30"])
        #expect(answer == ["refused": "30", "after": "200"])
    }

    @Test(
        "A connection that has no request under way is closed, even if its client does not answer",
        arguments: ["nothing", "request"])
    func silent(first: String) async throws {
        let server = try await server(["HTTP_IDLE_TIMEOUT_SECONDS": "2"])
        #expect(try await ask("silent", server, ["first": first]) == ["closed": "True"])
    }

    @Test(
        "A connection that is flooded with frames is ended, and others are served",
        arguments: ["requests that are taken back", "pings", "settings", "headers without an end", "empty data"])
    func flood(kind: String) async throws {
        let server = try await server(["HTTP_IDLE_TIMEOUT_SECONDS": "600"])
        #expect(try await ask("flood", server, ["kind": kind]) == ["ended": "True"])
        #expect(try await ask("unread", server) == ["other": "200"])
        #expect(try await server.stop() == 0)
    }

    @Test("After random frames others are served, and no stream is left open", arguments: [1, 2])
    func frames(seed: Int) async throws {
        let server = try await server(["HTTP_ADDRESS_CONNECTIONS": "20"])
        #expect(try await ask("frames", server, ["seed": "\(seed)", "count": "100"]) == ["other": "200"])
        try await eventually("all twenty places are free") {
            try await ask("many", server, ["count": "50", "expected": "30"]) == ["refused": "30", "after": "200"]
        }
        #expect(server.logLines(with: "Internal server error").isEmpty)
        #expect(try await server.stop() == 0)
    }

    @Test(
        "A client that breaks off cancels no fetch, which is recorded as it ended",
        arguments: ["reset of the stream", "wrong frame", "reset of the connection"])
    func brokenOff(how: String) async throws {
        let installation = try await TestInstallation()
        let bank = try await installation.makeBank(["--retention", "keep-repeat", "--fetch-limit", "50"])
        let holder = TestCardholder()
        let plain = try await installation.startServer()
        try await installation.provision([holder], of: bank, through: plain)
        let server = try await server(of: installation, ["HTTP_ADDRESS_CONNECTIONS": "1"])
        let go = TestFolder.shared.unused("go")
        let arguments = [
            "how": how, "go": go, "method": "POST", "path": Path.tokenCaptcha, "fields": "{}",
            "body": JSON.object(try TestApp().tokenCaptcha(bank, bank.token(for: holder))).text,
        ]
        try await installation.holding("SELECT FROM cardholder WHERE unique_id = '\(holder.uniqueId)' FOR UPDATE") {
            lock in
            async let brokenOff = ask("broken_off", server, arguments)
            try await eventually("the fetch waits") { try await lock.waiting() == 1 }
            try Data().write(to: URL(filePath: go))
            _ = try await brokenOff
            try await lock.release()
        }
        func lines() -> [String] { server.logLines(with: "trail=audit", holder.uniqueId) }
        try await eventually("the fetch is recorded") { !lines().isEmpty }
        #expect(lines().count == 1 && lines()[0].contains("code=0"), "\(lines())")
        #expect(server.logLines(with: "Internal server error").isEmpty)
        #expect(try await plain.stop() == 0)
    }

    @Test(
        "A back-end that breaks off while it waits for events causes no internal error",
        arguments: ["wrong frame", "reset of the connection"])
    func brokenWait(how: String) async throws {
        let installation = try await TestInstallation()
        let bank = try await installation.makeBank()
        let issuer = try await installation.makeIssuer(for: bank)
        let server = try await server(of: installation, ["HTTP_ADDRESS_CONNECTIONS": "1"])
        let call = IssuerCall("GET", "/v1/banks/\(bank.id)/events", query: "?wait=30")
        let fields = try call.signedFields(issuer, for: server).map { ($0.name, JSON.string($0.value)) }
        let go = TestFolder.shared.unused("go")
        async let brokenOff = ask(
            "broken_off", server,
            [
                "how": how, "go": go, "method": "GET", "path": "/v1/banks/\(bank.id)/events?wait=30",
                "fields": JSON.object(Dictionary(uniqueKeysWithValues: fields)).text,
            ])
        try await eventually("the call is accepted") {
            try await installation.sql("SELECT 1 FROM spent_proof WHERE kind = 'nonce'") == ["1"]
        }
        try Data().write(to: URL(filePath: go))
        _ = try await brokenOff
        try await eventually("the call is recorded") { !server.logLines(with: "trail=audit", "read events").isEmpty }
        #expect(server.logLines(with: "Internal server error").isEmpty, "\(server.log)")
    }

    @Test("Of an import whose client breaks off, the lines that are being written are cleaned up, too")
    func brokenImport() async throws {
        let installation = try await TestInstallation()
        let bank = try await installation.makeBank()
        let issuer = try await installation.makeIssuer(for: bank)
        let server = try await server(of: installation, ["HTTP_ADDRESS_CONNECTIONS": "1"])
        // As many lines as are written at once.
        let lines = (0..<500).map { #"{"uniqueId":"holder-\#($0)"}"# + "\n" }.joined()
        var call = IssuerCall("POST", "/v1/banks/\(bank.id)/cardholders:import", body: Array(lines.utf8))
        call.headers = [("Content-Type", "application/x-ndjson")]
        call.components = ["@method", "@authority", "@path", "content-digest"]
        let fields = try call.signedFields(issuer, for: server).map { ($0.name, JSON.string($0.value)) }
        let go = TestFolder.shared.unused("go")
        let arguments = [
            "how": "reset of the connection", "go": go, "method": "POST", "path": call.path, "body": lines,
            "announced": "1000000", "fields": JSON.object(Dictionary(uniqueKeysWithValues: fields)).text,
        ]
        // Written lines become visible when the test lets them.
        let gate = 4711
        _ = try await installation.sqlAsSuperuser(
            """
            SET search_path = card_companion;
            CREATE FUNCTION wait_at_gate() RETURNS trigger LANGUAGE plpgsql
                AS 'BEGIN PERFORM pg_advisory_xact_lock_shared(\(gate)); RETURN NULL; END';
            CREATE TRIGGER wait_at_gate AFTER INSERT ON import_line EXECUTE FUNCTION wait_at_gate()
            """)
        try await installation.holding("SELECT pg_advisory_lock(\(gate))") { lock in
            async let brokenOff = ask("broken_off", server, arguments)
            try await eventually("the lines wait") { try await lock.waiting() == 1 }
            try Data().write(to: URL(filePath: go))
            _ = try await brokenOff
            try await lock.release()
        }
        // This comes after those who wait.
        _ = try await installation.sqlAsSuperuser("SELECT pg_advisory_lock(\(gate))")
        try await eventually("no lines are left") {
            try await installation.sql("SELECT count(*) FROM import_line") == ["0"]
        }
    }

    @Test("A client that takes no answers is not read forever, however large its windows are")
    func hoard() async throws {
        let server = try await server()
        #expect(try await ask("hoard", server, ["path": "/health/live"])["read"] == "False")
        #expect(try await ask("unread", server) == ["other": "200"])
    }

    @Test("After SIGTERM, a request is answered, and its client is asked to use another connection")
    func drain() async throws {
        let server = try await server(["HTTP_DRAIN_SECONDS": "300"])
        let answer = try await ask("drain", server, ["process": "\(server.processID)"])
        #expect(answer == ["before": "200", "beforeGoAway": "False", "after": "200", "goaway": "True"])
        kill(server.processID, SIGINT)
        #expect(try await server.ended() == 0)
    }
}
