import Foundation
import ServerHarness
import Testing

/// How a server stops: it tells its clients first.
@Suite("Draining")
struct DrainTests {
    @Test(
        "After SIGTERM, the health check says so, answers end their connections, and requests are served until the end")
    func drain() async throws {
        let installation = try await TestInstallation()
        let bank = try await installation.makeBank(["--retention", "keep-repeat", "--fetch-limit", "50"])
        let holder = TestCardholder()
        let server = try await installation.startServer(environment: ["HTTP_DRAIN_SECONDS": "300"])
        try await installation.provision([holder], of: bank, through: server)
        let before = try await server.request("GET", "/health/ready")
        #expect(before.status == 200 && before["Connection"] != "close")
        kill(server.processID, SIGTERM)
        try await eventually("the health check says so") {
            try await server.request("GET", "/health/ready").status == 503
        }
        let answer = try await server.post(
            Path.tokenCaptcha, TestApp().tokenCaptcha(bank, bank.token(for: holder)))
        #expect(answer.status == 200 && answer.code == 0)
        #expect(answer["Connection"] == "close")
        #expect(try await server.request("GET", "/health/live").status == 200)
        kill(server.processID, SIGINT)
        #expect(try await server.ended() == 0)
    }

    @Test("curl sees the connection end after the answer, and not before")
    func connection() async throws {
        let server = try await TestInstallation().startServer(environment: ["HTTP_DRAIN_SECONDS": "300"])
        kill(server.processID, SIGTERM)
        try await eventually("the drain has begun") {
            try await server.request("GET", "/health/ready").status == 503
        }
        // Two requests that curl would send on one connection.
        let url = "\(server.url)/health/live"
        let result = try await TestCommand.run("curl", ["--silent", "--verbose", url, url]).succeeded()
        #expect(result.stderr.components(separatedBy: "Connection: close").count == 3, "\(result.stderr)")
        #expect(result.stderr.contains("Closing connection"))
        #expect(!result.stderr.contains("Empty reply"))
        kill(server.processID, SIGINT)
        #expect(try await server.ended() == 0)
    }

    @Test("Requests that are under way after the drain are served, and the server listens until then")
    func openRequest() async throws {
        let server = try await TestInstallation().startServer(environment: ["HTTP_DRAIN_SECONDS": "1"])
        let slow = try SocketConnection(to: server)
        let head = "POST /v1/pin-distribution/captcha HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
        try await slow.sendAll(Array("\(head)Content-Length: 2\r\n\r\n{".utf8))
        // The server accepts one connection after the other.
        #expect(try await server.request("GET", "/health/live").status == 200)
        // A request whose end does not come is broken off after ten seconds: no longer than necessary.
        kill(server.processID, SIGTERM)
        try await Task.sleep(for: .seconds(2))
        #expect(try await server.request("GET", "/health/live").status == 200, "the drain is over")
        try await slow.sendAll(Array("}".utf8))
        var answer: [UInt8] = []
        try await eventually("the request is answered") {
            answer += try slow.receive() ?? []
            return String(decoding: answer, as: UTF8.self).hasPrefix("HTTP/1.1 200 ")
        }
        #expect(try await server.ended() == 0)
    }

    @Test("A call that waits for events is answered when the server is about to stop")
    func waitingCall() async throws {
        let installation = try await TestInstallation()
        let bank = try await installation.makeBank()
        let server = try await installation.startServer(environment: ["HTTP_DRAIN_SECONDS": "2"])
        let issuer = try await installation.makeIssuer(for: bank)
        async let answer = server.call(IssuerCall("GET", "/v1/banks/\(bank.id)/events", query: "?wait=30"), by: issuer)
        try await eventually("the call is accepted") {
            try await installation.sql("SELECT 1 FROM spent_proof WHERE kind = 'nonce'") == ["1"]
        }
        kill(server.processID, SIGTERM)
        #expect(try await answer.status == 200)
        #expect(try await server.ended() == 0)
    }

    @Test("SIGINT stops the server at once")
    func interrupt() async throws {
        let server = try await TestInstallation().startServer(environment: ["HTTP_DRAIN_SECONDS": "300"])
        kill(server.processID, SIGINT)
        #expect(try await server.ended() == 0)
    }
}
