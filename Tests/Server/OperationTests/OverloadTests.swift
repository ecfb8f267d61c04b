import ServerHarness
import Testing

/// A server that has more requests than it can answer in time.
@Suite("Overload")
struct OverloadTests {
    private struct Fixture {
        let installation: TestInstallation
        let server: TestServer
        let bank: TestBank
        let issuer: TestIssuer
        let holders = (0..<4).map { _ in TestCardholder() }

        /// A server that serves six requests at once, and one when answers were late.
        init() async throws {
            installation = try await TestInstallation()
            bank = try await installation.makeBank(["--retention", "keep-repeat", "--fetch-limit", "100"])
            issuer = try await installation.makeIssuer(for: bank)
            server = try await installation.startServer(
                environment: ["HTTP_REQUESTS": "1"].merging(TestServer.metricsOn) { $1 })
            try await installation.provision(holders, of: bank, through: server)
        }

        /// All of the bank's cardholders, or one of them.
        func lock(_ holder: TestCardholder? = nil) -> String {
            let one = holder.map { " AND unique_id = '\($0.uniqueId)'" } ?? ""
            return "SELECT 1 FROM cardholder WHERE bank_id = '\(bank.id)'\(one) FOR UPDATE"
        }

        func fetch(_ holder: TestCardholder) throws -> [String: JSON] {
            try TestApp().tokenCaptcha(bank, bank.token(for: holder))
        }

        /// How many requests are being served.
        func inFlight() async throws -> Int? {
            try await server.scrape().values["card_companion_requests_in_flight"].map { Int($0) }
        }

        /// Lets requests wait for longer than a good answer takes.
        func slowDown() async throws {
            let (server, bodies) = (server, try holders.map(fetch))
            try await installation.holding(lock()) { lock in
                try await withThrowingTaskGroup(of: Int?.self) { group in
                    for body in bodies { group.addTask { try await server.post(Path.tokenCaptcha, body).code } }
                    try await eventually("the fetches wait") { try await inFlight() == bodies.count }
                    try await Task.sleep(for: .seconds(2))
                    try await lock.release()
                    for try await code in group { #expect(code == 0) }
                }
            }
        }
    }

    @Test("A request too many is refused at once with 503 overloaded, uses nothing up, and can be sent again as it is")
    func refused() async throws {
        let fixture = try await Fixture()
        let server = fixture.server
        try await fixture.slowDown()
        let limit = try #require(try await server.scrape().values["card_companion_requests_limit"].map { Int($0) })
        #expect(limit < 3)
        let taken = try fixture.holders.prefix(limit).map(fixture.fetch)
        let holder = fixture.holders[3]
        let refused = try fixture.fetch(holder)
        try await fixture.installation.holding(fixture.lock()) { lock in
            try await withThrowingTaskGroup(of: Int?.self) { group in
                for body in taken { group.addTask { try await server.post(Path.tokenCaptcha, body).code } }
                try await eventually("all places are taken") { try await fixture.inFlight() == limit }
                for _ in 0..<3 {
                    let answer = try await server.post(Path.tokenCaptcha, refused)
                    #expect(answer.status == 503 && answer.problem == "overloaded", "\(answer.members)")
                    let seconds = try #require(answer["Retry-After"].flatMap { Int($0) })
                    #expect((1...5).contains(seconds))
                }
                let call = try await server.call("GET", cardholder: holder.uniqueId, by: fixture.issuer)
                #expect(call.status == 503 && call.problem == "overloaded")
                try await lock.release()
                for try await code in group { #expect(code == 0) }
            }
        }
        #expect(try await server.post(Path.tokenCaptcha, refused).code == 0)
        let scrape = try await server.scrape()
        #expect(scrape.values[#"card_companion_requests_refused_total{priority="cardholder"}"#] == 3)
        #expect(try await fixture.inFlight() == 0)
        #expect(server.logLines(with: "warning", "More requests than can be answered in time").count == 1)
    }
}
