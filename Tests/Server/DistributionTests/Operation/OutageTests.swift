import ServerHarness
import Testing

/// Responses during database outages and internal errors (sections 1 and 2.3). Each test has its own installation.
@Suite("Outages and internal errors")
struct OutageTests {
    private static let settings = ["DATABASE_ACQUIRE_TIMEOUT_SECONDS": "5"]
    private static let recoveryLimitSeconds = 180

    @Test("If the database is down, requests are answered 503 with Retry-After, and succeed when it is back")
    func databaseStopped() async throws {
        let cluster = try await TestCluster()
        let installation = try await TestInstallation(on: cluster)
        let server = try await installation.startServer(environment: Self.settings)
        let bank = try await installation.makeBank(scheme: "CB")
        let (holder, other) = (TestCardholder(), TestCardholder())
        try await installation.provision([holder, other], of: bank, through: server)
        let delivery = try await server.deliver(bank, holder)

        let app = try TestApp()
        let requests = [
            (Path.captcha, try app.captcha(bank, other, timestamp: Stamps.next())),
            (Path.tokenCaptcha, try app.tokenCaptcha(bank, bank.token(for: other))),
            (Path.notify, delivery.notify(bank, holder)),
        ]
        await cluster.stop()
        for (path, body) in requests {
            let answer = try await server.post(path, body)
            #expect(answer.status == 503)
            #expect(answer["Retry-After"].flatMap(Int.init) != nil)
            #expect(answer["Content-Type"] == "application/problem+json")
            #expect(answer["X-Request-Id"] != nil)
            #expect(answer.code == nil)
        }
        #expect(try await server.request("GET", "/health/ready").status == 503)
        #expect(try await server.request("GET", "/health/live").status == 200)
        #expect(try await server.post(Path.captcha, [:]).code == 100)

        try await cluster.start()
        try await recover(server)
        for (path, body) in requests { #expect(try await server.post(path, body).code == 0, "\(path)") }
    }

    @Test("An internal error is answered 500, only the log has the cause, and token and hashMac are not spent")
    func faultWithin() async throws {
        let installation = try await TestInstallation()
        let server = try await installation.startServer()
        let bank = try await installation.makeBank(scheme: "CB")
        let holder = TestCardholder()
        try await installation.provision([holder], of: bank, through: server)
        let delivery = try await server.deliver(bank, holder)
        let (app, token, stamp) = (try TestApp(), bank.token(for: holder), Stamps.next())
        let requests = [
            (Path.captcha, try app.captcha(bank, holder, timestamp: stamp)),
            (Path.tokenCaptcha, try app.tokenCaptcha(bank, token)),
            (Path.notify, delivery.notify(bank, holder, status: 1)),
        ]
        try await installation.sql("ALTER TABLE delivery_session RENAME TO misplaced")
        for (path, body) in requests {
            let answer = try await server.post(path, body)
            #expect(answer.status == 200)
            #expect(answer.code == 500)
            #expect(answer.message == "Unexpected error")
            let id = try #require(answer["X-Request-Id"])
            #expect(server.logLines(with: id, " error ", "delivery_session").count == 1)
            #expect(try server.auditLine(of: answer).contains(" code=500 "))
        }
        try await installation.sql("ALTER TABLE misplaced RENAME TO delivery_session")
        for (path, body) in requests { #expect(try await server.post(path, body).code == 0, "\(path)") }
    }

    @Test("An internal error in the bank lookup is answered 500 on every operation")
    func noBanks() async throws {
        let installation = try await TestInstallation()
        let server = try await installation.startServer()
        let bank = try await installation.makeBank()
        try await installation.sql("ALTER TABLE bank RENAME TO misplaced")
        let (holder, app) = (TestCardholder(), try TestApp())
        let token = bank.token(for: holder)
        let notify: [String: JSON] = ["sessionId": "none", "status": 0, "hash": "00"]
        let who: [String: JSON] = ["bankId": .string(bank.id), "uniqueId": .string(holder.uniqueId)]
        let answers = [
            try await server.post(Path.captcha, app.captcha(bank, holder)),
            try await server.post(Path.tokenCaptcha, app.tokenCaptcha(bank, token)),
            try await server.post(Path.notify, notify.merging(who) { $1 }),
            try await server.post(Path.tokenNotify, notify.merging(["token": .string(token.text)]) { $1 }),
        ]
        #expect(answers.map(\.code) == [500, 500, 500, 500])
    }

    @Test("A server that is stopped answers the requests it has accepted, and exits with 0")
    func graceful() async throws {
        let installation = try await TestInstallation()
        let server = try await installation.startServer(environment: ["CARDHOLDER_REQUESTS": "8"])
        let bank = try await installation.makeBank(["--fetch-limit", "100"])
        let holder = TestCardholder()
        try await installation.provision([holder], of: bank, through: server)
        let stamp = TestBank.timestamp()
        let codes = try await withThrowingTaskGroup(of: Int?.self) { group in
            for index in 0..<8 {
                group.addTask { try? await server.fetch(bank, holder, timestamp: stamp - index).code }
            }
            let first = try await group.next() ?? nil
            #expect(try await server.stop() == 0)
            return try await group.reduce(into: [first]) { $0.append($1) }
        }
        // Requests that came after the listener was closed have no response.
        #expect(codes.first == 0)
        #expect(codes.allSatisfy { $0 == nil || $0 == 0 })
    }

    private func recover(_ server: TestServer) async throws {
        let deadline = ContinuousClock.now + .seconds(Self.recoveryLimitSeconds)
        while try await server.request("GET", "/health/ready").status != 200 {
            try #require(ContinuousClock.now < deadline, "the server did not reconnect to the database")
            try await Task.sleep(for: .milliseconds(100))
        }
    }
}
