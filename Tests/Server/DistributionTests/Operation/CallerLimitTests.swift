import ServerHarness
import Testing

/// What an address can ask for without proof of who it is.
@Suite("Limits of an address")
struct CallerLimitTests {
    private static let burst = 10
    private static let proxy = "127.0.0.1"

    private func startServer(proxies: String? = nil) async throws -> TestServer {
        var environment = ["HTTP_ADDRESS_RATE": "1", "HTTP_ADDRESS_BURST": "\(Self.burst)"]
        environment["HTTP_PROXIES"] = proxies
        return try await Service.shared.value.installation.startServer(environment: environment)
    }

    /// Sends a request three times as often as an address can at once. It does not wait for the answers, so that the rate allows hardly
    /// any more meanwhile, unless the server needs a second for each.
    private func flood(
        _ server: TestServer, _ method: String, _ path: String, _ body: [String: JSON]? = nil,
        headers: (Int) -> String = { _ in "" }
    ) async throws -> [HTTPAnswer] {
        let text = body.map { JSON.object($0).text } ?? ""
        let count = Self.burst * 3
        let requests = (1...count).map { number in
            "\(method) \(path) HTTP/1.1\r\nHost: \(server.authority)\r\nContent-Type: application/json\r\n"
                + "Content-Length: \(text.utf8.count)\r\n\(headers(number))"
                + "\(number == count ? "Connection: close\r\n" : "")\r\n\(text)"
        }
        let answers = try await server.exchange(Array(requests.joined().utf8))
        try #require(answers.count == count)
        return answers
    }

    private func forged(_ bank: TestBank, _ holder: TestCardholder) throws -> [String: JSON] {
        var body = try TestApp().captcha(bank, holder)
        body["hashMac"] = .string(String(repeating: "0", count: 64))
        return body
    }

    @Test("Failed authentication is charged, and then answered 429; an honest user of the same address is served")
    func failures() async throws {
        let service = try await Service.shared.value
        let (bank, holder) = (service.bank.bank, service.bank.cardholder())
        let server = try await startServer()
        let answers = try await flood(server, "POST", Path.captcha, try forged(bank, holder))
        #expect(answers.prefix(Self.burst).allSatisfy { $0.code == 205 })
        let refused = try #require(answers.first { $0.status == 429 })
        #expect(refused["Content-Type"] == "application/problem+json")
        #expect(refused["Retry-After"] == "1")
        #expect(try await server.fetch(bank, holder).code == 0)
        let warnings = server.logLines(with: "warning", "fails too often", "http.proxies", "address=127.0.0.1")
        #expect(warnings.count == 1)
    }

    @Test("Right requests are not charged, however many there are")
    func honest() async throws {
        let service = try await Service.shared.value
        let (bank, holder) = (service.repeatingBank.bank, service.repeatingBank.cardholder())
        let server = try await startServer()
        let now = TestBank.timestamp()
        for index in 0..<Self.burst * 2 {
            let answer = try await server.fetch(bank, holder.with(code: "Wrong111"), timestamp: now - index)
            #expect(answer.status == 200)
        }
    }

    @Test("Keypads and wrong notifies are charged")
    func withoutAuthentication() async throws {
        let service = try await Service.shared.value
        let (bank, holder) = (service.bank.bank, service.bank.cardholder())
        let keypad: [String: JSON] = [
            "bankId": .string(bank.id), "uniqueId": .string(holder.uniqueId), "keypadSize": .integer(10),
        ]
        let notify: [String: JSON] = [
            "bankId": .string(bank.id), "uniqueId": .string(holder.uniqueId), "sessionId": "none",
            "status": .integer(0), "hash": .string(String(repeating: "0", count: 64)),
        ]
        for (path, body) in [("/v1/pin-definition/keypad-coordinates", keypad), (Path.notify, notify)] {
            let server = try await startServer()
            let statuses = try await flood(server, "POST", path, body).map(\.status)
            #expect(statuses.prefix(Self.burst).allSatisfy { $0 == 200 })
            #expect(statuses.contains(429))
        }
    }

    @Test("A back-end's failed signature is charged")
    func backEnd() async throws {
        let bank = try await Service.shared.value.bank.bank
        let server = try await startServer()
        let statuses = try await flood(server, "GET", "/v1/banks/\(bank.id)/events").map(\.status)
        #expect(statuses.prefix(Self.burst).allSatisfy { $0 == 401 })
        #expect(statuses.contains(429))
    }

    @Test("Behind a proxy each client has its own limit, and somebody who is no proxy cannot choose an address")
    func proxies() async throws {
        let service = try await Service.shared.value
        let (bank, holder) = (service.bank.bank, service.bank.cardholder())
        let body = try forged(bank, holder)
        func statuses(_ server: TestServer) async throws -> [Int] {
            try await flood(server, "POST", Path.captcha, body) { "X-Forwarded-For: 192.0.2.\($0)\r\n" }.map(\.status)
        }
        #expect(try await statuses(startServer(proxies: Self.proxy)).allSatisfy { $0 == 200 })
        #expect(try await statuses(startServer()).contains(429))
    }
}
