import ServerHarness
import Testing

/// Strangers can name what does not exist, and each name would be looked up in the database.
@Suite("Vain look-ups")
struct LookUpTests {
    private static let count = 1_500

    private static let server = Once {
        try await Service.shared.value.installation.startServer(
            environment: ["HTTP_ADDRESS_BURST": "1000000", "HTTP_ADDRESS_RATE": "1000000", "LOOKUPS_RATE": "10"])
    }

    @Test("A flood of unknown banks is answered 503 in the end, while known banks are served")
    func banks() async throws {
        let (service, server) = (try await Service.shared.value, try await Self.server.value)
        let (bank, holder) = (service.repeatingBank.bank, service.repeatingBank.cardholder())
        #expect(try await server.fetch(bank, holder).code == 0)
        let answers = try await flood(server) { number in
            let body = #"{"bankId":"unknown\#(number)","uniqueId":"x","keypadSize":10}"#
            return
                "POST /v1/pin-definition/keypad-coordinates HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
                + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
        }
        #expect(answers.prefix(100).allSatisfy { $0.code == 101 })
        try expectRefusals(in: answers)
        #expect(try await server.fetch(bank, holder, timestamp: TestBank.timestamp() - 100).code == 0)
    }

    @Test("A flood of unknown keys of back-ends is answered 503 in the end")
    func keys() async throws {
        let server = try await Self.server.value
        let answers = try await flood(server, Self.unknownKey)
        #expect(answers.prefix(100).allSatisfy { $0.status == 401 })
        try expectRefusals(in: answers)
    }

    @Test("Vain look-ups that are refused are charged to their address, until it is answered 429")
    func charged() async throws {
        let service = try await Service.shared.value
        let app = try TestApp()
        var body = try app.captcha(service.bank.bank, TestCardholder(), timestamp: TestBank.timestamp())
        let floods: [(Int) -> String] = [
            { number in
                body["bankId"] = .string("unknown\(number)")
                let text = JSON.object(body).text
                return "POST \(Path.captcha) HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
                    + "Content-Length: \(text.utf8.count)\r\n\r\n\(text)"
            }, Self.unknownKey,
        ]
        for flood in floods {
            // More than the look-ups that are allowed at once.
            let server = try await service.installation.startServer(
                environment: ["HTTP_ADDRESS_BURST": "1000", "HTTP_ADDRESS_RATE": "1", "LOOKUPS_RATE": "10"])
            let answers = try await self.flood(server, flood)
            #expect(answers.contains { $0.status == 503 })
            // Of 1,500 requests at most 1,000 are served, and one more in each second that they take.
            #expect(answers.count { $0.status == 429 } > 300)
        }
    }

    private static func unknownKey(_ number: Int) -> String {
        """
        GET /v1/banks/any/events HTTP/1.1\r
        Host: x\r
        Signature-Input: sig=("@method");created=1;nonce="n";keyid="unknown\(number)"\r
        Signature: sig=:AAAA:\r
        \r

        """
    }

    private func expectRefusals(in answers: [HTTPAnswer]) throws {
        #expect(answers.count == Self.count + 1)
        let refused = try #require(answers.first { $0.status == 503 })
        #expect(refused["Retry-After"] == "1")
    }

    /// Sends many requests on one connection, without waiting for the answers.
    private func flood(_ server: TestServer, _ request: (Int) -> String) async throws -> [HTTPAnswer] {
        let requests = (0..<Self.count).map(request).joined()
        return try await server.exchange(
            Array((requests + "GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").utf8))
    }
}
