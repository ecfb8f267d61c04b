import ServerHarness
import Testing

/// A server that has more requests than it can answer in time.
@Suite("Overload")
struct OverloadTests {
    private static let origin = "https://app.mybank.example"

    /// A bank with four cardholders.
    private struct Tenant {
        let bank: TestBank
        let issuer: TestIssuer
        let holders = (0..<4).map { _ in TestCardholder() }

        func fetch(_ number: Int) throws -> [String: JSON] {
            try TestApp().tokenCaptcha(bank, bank.token(for: holders[number]))
        }

    }

    private struct Fixture {
        let installation: TestInstallation
        let server: TestServer
        let first: Tenant
        let second: Tenant

        /// How fetches are sent; nil for HTTP/1.1.
        var streams: HTTP2Streams?

        /// A server that serves six times `least` requests at once, and `least` when answers were late. It serves two banks.
        init(least: Int = 1, environment: [String: String] = [:]) async throws {
            installation = try await TestInstallation()
            // Fetches wait for a lock as long as a busy machine needs, each on a connection of its own.
            let limits = [
                "HTTP_REQUESTS": "\(least)", "DATABASE_CONNECTIONS": "24",
                "DATABASE_ANSWER_TIMEOUT_MILLISECONDS": "300000",
                "DATABASE_STATEMENT_TIMEOUT_MILLISECONDS": "300000",
            ].merging(TestServer.metricsOn) { $1 }
            server = try await installation.startServer(environment: environment.merging(limits) { $1 })
            // The tests' own client speaks no TLS.
            let plain = server.url.hasPrefix("https") ? try await installation.startServer() : server
            first = try await Self.tenant(installation, plain)
            second = try await Self.tenant(installation, plain)
        }

        private static func tenant(_ installation: TestInstallation, _ server: TestServer) async throws -> Tenant {
            let bank = try await installation.makeBank(["--retention", "keep-repeat", "--fetch-limit", "100"])
            let tenant = Tenant(bank: bank, issuer: try await installation.makeIssuer(for: bank))
            try await installation.provision(tenant.holders, of: bank, through: server)
            return tenant
        }

        private func code(of fetch: [String: JSON]) async throws -> Int? {
            guard let streams else { return try await server.post(Path.tokenCaptcha, fetch).code }
            let answer = try await streams.post(server.url + Path.tokenCaptcha, fetch)
            #expect(answer.members["errorCode"] != nil, "\(answer)")
            return answer.members["errorCode"]?.integer
        }

        /// How many requests are being served.
        func inFlight() async throws -> Int? { try await gauge("card_companion_requests_in_flight") }

        func limit() async throws -> Int { try #require(try await gauge("card_companion_requests_limit")) }

        /// Whether a connection to the database is free: a statement behind one that waits would wait, too.
        private func hasFreeConnection() async throws -> Bool {
            let values = try await server.scrape().values
            let connections = "card_companion_database_connections"
            return values[connections] ?? 0 > values["\(connections)_in_use"] ?? 0
        }

        private func gauge(_ name: String) async throws -> Int? {
            try await server.scrape().values[name].map { Int($0) }
        }

        /// Lets requests wait for longer than a good answer takes: the limit falls to one or two.
        func slowDown() async throws {
            try await serving([(first, 0), (first, 1), (second, 0), (second, 1)]) {
                // This is the fault itself: answers that take two seconds.
                try await Task.sleep(for: .seconds(2))
            }
            #expect(try await limit() < 3)
        }

        /// Does something while all places are taken.
        func filled(_ body: @escaping @Sendable () async throws -> Void) async throws {
            try await serving(Array([(first, 0), (second, 0)].prefix(try await limit())), body)
        }

        /// Does something while these fetches are being served, and lets them succeed then.
        func serving(
            _ fetches: [(tenant: Tenant, number: Int)], _ body: @escaping @Sendable () async throws -> Void
        ) async throws {
            let requests = try fetches.map { try $0.tenant.fetch($0.number) }
            let banks = Set(fetches.map { "'\($0.tenant.bank.id)'" }).joined(separator: ", ")
            try await installation.holding("SELECT 1 FROM cardholder WHERE bank_id IN (\(banks)) FOR UPDATE") { lock in
                try await withThrowingTaskGroup(of: Int?.self) { group in
                    // One after the other, because the shares depend on who comes first. A fetch that waits has its place in its bank's
                    // share.
                    for (number, request) in requests.enumerated() {
                        group.addTask { try await code(of: request) }
                        try await eventually("the fetch waits") {
                            guard try await lock.waitingInLine() > number else { return false }
                            return try await hasFreeConnection()
                        }
                    }
                    try await body()
                    try await lock.release()
                    for try await code in group { #expect(code == 0) }
                }
            }
        }
    }

    @Test("A request too many is refused at once with 503 overloaded, uses nothing up, and can be sent again as it is")
    func refused() async throws {
        let fixture = try await Fixture()
        let (server, tenant) = (fixture.server, fixture.first)
        try await fixture.slowDown()
        let refused = try tenant.fetch(3)
        try await fixture.filled {
            for _ in 0..<3 {
                let answer = try await server.post(Path.tokenCaptcha, refused)
                #expect(answer.status == 503 && answer.problem == "overloaded", "\(answer.members)")
                let seconds = try #require(answer["Retry-After"].flatMap { Int($0) })
                #expect((1...5).contains(seconds))
                #expect(answer["X-Request-Id"]?.count == 16 && answer["Cache-Control"] == "no-store")
            }
            let call = try await server.call("GET", cardholder: tenant.holders[3].uniqueId, by: tenant.issuer)
            #expect(call.status == 503 && call.problem == "overloaded")
            #expect(try await server.request("GET", "/health/ready").status == 200)
        }
        #expect(try await server.post(Path.tokenCaptcha, refused).code == 0)
        let scrape = try await server.scrape()
        #expect(scrape.values[#"card_companion_requests_refused_total{priority="cardholder",cause="server"}"#] == 3)
        #expect(
            scrape.values[#"card_companion_requests_total{operation="refused early",status="503",code="none"}"#] == 4)
        #expect(try await fixture.inFlight() == 0)
        #expect(server.hasRareWarning(with: "More requests than can be answered in time"))
    }

    @Test("A page of a named origin can read the refusal of a request too many, and others cannot")
    func pages() async throws {
        let fixture = try await Fixture(environment: ["HTTP_ORIGINS": Self.origin])
        let server = fixture.server
        try await fixture.slowDown()
        let body = Array(JSON.object(try fixture.first.fetch(3)).text.utf8)
        try await fixture.filled {
            for (origin, isNamed) in [(Self.origin, true), ("https://other.example", false)] {
                let fields = [("Origin", origin), ("Content-Type", "application/json")]
                let answer = try await server.request("POST", Path.tokenCaptcha, headers: fields, body: body)
                #expect(answer.status == 503 && answer.problem == "overloaded" && answer["Vary"] == "Origin")
                #expect(answer["Access-Control-Allow-Origin"] == (isNamed ? origin : nil))
            }
        }
    }

    @Test("Refusals keep a connection open, however long the body is, and come in the order of the requests")
    func connections() async throws {
        let fixture = try await Fixture()
        let server = fixture.server
        try await fixture.slowDown()
        @Sendable func request(_ path: String, _ length: Int, _ fields: String = "") -> [UInt8] {
            let type = "Content-Type: application/json\r\n"
            let head = "POST \(path) HTTP/1.1\r\nHost: x\r\n\(type)\(fields)Content-Length: \(length)\r\n\r\n{}"
            return Array(head.utf8) + Array(repeating: UInt8(ascii: " "), count: length - 2)
        }
        let live = Array("GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n".utf8)
        let last = "Connection: close\r\n"
        try await fixture.filled {
            let answers = try await server.exchange(
                request(Path.tokenCaptcha, 100_000) + live + request(Path.captcha, 10)
                    + request(Path.tokenCaptcha, 100, last))
            #expect(answers.map(\.status) == [503, 200, 503, 503])
            let long = try await server.exchange(
                request(Path.tokenCaptcha, 2_000_000) + request(Path.tokenCaptcha, 100, last))
            #expect(long.map(\.status) == [503, 503])
        }
    }

    @Test("A client that takes no answers is not read either, and cannot fill the server's memory with refusals")
    func slowReader() async throws {
        let fixture = try await Fixture()
        let server = fixture.server
        try await fixture.slowDown()
        try await fixture.filled {
            // Small buffers are soon full. What is sent is more than the buffers of both sockets can hold.
            let script = """
                import socket
                request = b"POST /v1/banks/X/cardholders/Y HTTP/1.1\\r\\nHost: x\\r\\nContent-Length: 0\\r\\n\\r\\n"
                with socket.socket() as connection:
                    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                    connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 65536)
                    connection.connect(("127.0.0.1", \(server.port)))
                    connection.settimeout(5)
                    try:
                        for _ in range(200): connection.sendall(request * 1000)
                        print("was read")
                    except TimeoutError:
                        print("was not read")
                """
            let client = try await TestCommand.run("python3", ["-c", script]).succeeded()
            #expect(client.stdout == "was not read\n")
        }
    }

    @Test("A stream of HTTP/2 is refused, and others of its connection are answered")
    func streams() async throws {
        try await HTTP2Streams.with { streams in
            var fixture = try await Fixture(environment: try await TestCertificate().environment)
            fixture.streams = streams
            let (server, first, second) = (fixture.server, fixture.first, fixture.second)
            // Of six places, back-ends get none if five are taken.
            try await fixture.serving([(first, 0), (first, 1), (first, 2), (second, 0), (second, 1)]) {
                let path = "/v1/banks/\(first.bank.id)/cardholders/\(first.holders[0].uniqueId)"
                let answer = try await streams.post(server.url + path, [:])
                #expect(answer.status == 503)
                #expect(answer.members["type"] == "urn:card-companion:problem:overloaded")
            }
        }
    }

    private static let importPath = "/v1/banks/X/cardholders:import"
    private static let cardholderPath = "/v1/banks/X/cardholders/Y"

    /// One request to each server: a slow answer to it would change the limit.
    @Test(
        "Imports are refused first, then back-ends, then fetches, and confirmations last",
        arguments: [
            (5, importPath, true), (6, importPath, false), (8, cardholderPath, true), (9, cardholderPath, false),
            (10, Path.tokenCaptcha, true), (11, Path.tokenCaptcha, false), (11, Path.tokenNotify, true),
        ])
    func priorities(count: Int, path: String, isTaken: Bool) async throws {
        let fixture = try await Fixture(least: 2)
        let (server, first, second) = (fixture.server, fixture.first, fixture.second)
        #expect(try await fixture.limit() == 12)
        let fetches = (0..<7).map { (first, $0 % 4) } + (0..<4).map { (second, $0) }
        try await fixture.serving(Array(fetches.prefix(count))) {
            let answer = try await server.post(path, [:])
            #expect((answer.problem != "overloaded") == isTaken)
        }
    }

    @Test(
        "A bank that has its share is refused, and another bank's apps and back-end are served",
        arguments: [true, false])
    func shares(isApp: Bool) async throws {
        let fixture = try await Fixture(least: 2)
        let (server, greedy, other) = (fixture.server, fixture.first, fixture.second)
        #expect(try await fixture.limit() == 12)
        let holders = greedy.holders
        let refused = try greedy.fetch(0)
        try await fixture.serving((0..<7).map { (greedy, $0 % 4) }) {
            let answer = try await server.post(Path.tokenCaptcha, refused)
            #expect(answer.status == 503 && answer.problem == "overloaded")
            #expect(answer.detail.contains("this bank has its share"))
            let call = try await server.call("GET", cardholder: holders[0].uniqueId, by: greedy.issuer)
            #expect(call.status == 503 && call.problem == "overloaded")
            let others =
                isApp
                ? try await server.post(Path.tokenCaptcha, other.fetch(1))
                : try await server.call("GET", cardholder: other.holders[0].uniqueId, by: other.issuer)
            #expect(others.status == 200 && others.code == (isApp ? 0 : nil))
        }
        #expect(try await server.post(Path.tokenCaptcha, refused).code == 0)
        #expect(server.hasRareWarning(with: "A bank has more requests than its share"))
    }

    @Test("A bank's rate, its apps and back-end together, does not touch another bank")
    func rate() async throws {
        let fixture = try await Fixture()
        let (busy, other) = (fixture.first, fixture.second)
        let server = try await fixture.installation.startServer(environment: ["BANK_RATE": "1"])
        var (answers, refusal): ([HTTPAnswer], HTTPAnswer?) = ([], nil)
        while refusal == nil, answers.count < 50 {
            // Four at once, because each can take longer than a second.
            answers += try await withThrowingTaskGroup(of: HTTPAnswer.self) { calls in
                for _ in 0..<4 {
                    calls.addTask {
                        try await server.call("GET", cardholder: busy.holders[0].uniqueId, by: busy.issuer)
                    }
                }
                return try await calls.reduce(into: []) { $0.append($1) }
            }
            refusal = answers.first { $0.status == 503 }
        }
        let refused = try #require(refusal)
        #expect(answers.contains { $0.status == 200 } && refused.problem == "overloaded")
        #expect(refused.detail.contains("more requests per second than the server's operator allows"))
        // Who is not authenticated uses up nothing.
        var forged = try other.fetch(0)
        forged["signature"] = try busy.fetch(0)["signature"]
        for _ in 0..<5 { #expect(try await server.post(Path.tokenCaptcha, forged).code == 206) }
        let spent = try other.fetch(0)
        #expect(try await server.post(Path.tokenCaptcha, spent).code == 0)
        // Nor does who repeats what was spent: the next fetch finds what the repetition had taken.
        let next = try other.fetch(1)
        try await eventually("the repetition is not refused for the rate") {
            try await server.post(Path.tokenCaptcha, spent).code == 210
        }
        #expect(try await server.post(Path.tokenCaptcha, next).code == 0)
    }
}
