import ServerHarness
import Testing

/// Code 200: a timestamp must be ten decimal digits and within the bank's tolerance (sections 2.1 and 2.4).
@Suite("Timestamps")
struct TimestampTests {
    private static let malformed: [JSON] = [
        "170000000", "17000000000", "+170000000", "-170000000", " 1700000000", "1700000000 ", "1700000000.0",
        "1,70000000", "١٧٠٠٠٠٠٠٠٠", "0x17000000", "now", 17, 170_000_000, -1_700_000_000, true, [1_700_000_000], [:],
    ]

    @Test("A malformed timestamp in an AC fetch is answered 200", arguments: malformed)
    func malformedInFetch(timestamp: JSON) async throws {
        let service = try await Service.shared.value
        let (bank, cardholder) = (service.bank.bank, service.bank.cardholder())
        let answer = try await service.server.fetch(bank, cardholder, changing: ["timestamp": timestamp])
        #expect(answer.code == 200)
    }

    @Test("A malformed timestamp in a token is answered 200", arguments: malformed)
    func malformedInToken(timestamp: JSON) async throws {
        let service = try await Service.shared.value
        let (bank, cardholder) = (service.bank.bank, service.bank.cardholder())
        let token = bank.token(for: cardholder).with(["Timestamp": timestamp])
        #expect(try await service.server.fetch(bank, token: token).code == 200)
    }

    @Test("An integer timestamp is accepted; one with a fraction or exponent is answered 200")
    func integers() async throws {
        let service = try await Service.shared.value
        let (bank, server, cardholder) = (
            service.repeatingBank.bank, service.server, service.repeatingBank.cardholder()
        )
        let now = TestBank.timestamp()
        #expect(
            try await server.fetch(bank, cardholder, timestamp: now, changing: ["timestamp": .integer(now)]).code == 0)
        let token = bank.token(for: cardholder).with(["Timestamp": .integer(now)])
        #expect(try await server.fetch(bank, token: token).code == 0)

        let body = JSON.object(try TestApp().captcha(bank, cardholder, timestamp: now)).text
        for number in ["\(now).0", "\(now)e0", "\(now / 10)e1"] {
            let text = body.replacing("\"timestamp\":\"\(now)\"", with: "\"timestamp\":\(number)")
            #expect(text != body)
            #expect(try await server.post(Path.captcha, bytes: Array(text.utf8)).code == 200, "\(number)")
        }
    }

    @Test("A timestamp within the tolerance is accepted, in the past and in the future", arguments: [-240, 240])
    func inside(awaySeconds: Int) async throws {
        let service = try await Service.shared.value
        let (bank, server, cardholder) = (
            service.repeatingBank.bank, service.server, service.repeatingBank.cardholder()
        )
        let timestamp = TestBank.timestamp(awaySeconds)
        #expect(try await server.fetch(bank, cardholder, timestamp: timestamp).code == 0)
        let token = bank.token(for: cardholder).with(["Timestamp": .string("\(timestamp)")])
        #expect(try await server.fetch(bank, token: token).code == 0)
    }

    @Test(
        "A timestamp outside the tolerance is answered 200, and the message states the difference and its direction",
        arguments: [(-600, "behind"), (600, "ahead")])
    func outside(awaySeconds: Int, side: String) async throws {
        let service = try await Service.shared.value
        let (bank, server, cardholder) = (service.bank.bank, service.server, service.bank.cardholder())
        let timestamp = TestBank.timestamp(awaySeconds)
        let token = bank.token(for: cardholder).with(["Timestamp": .string("\(timestamp)")])
        let answers = [
            try await server.fetch(bank, cardholder, timestamp: timestamp), try await server.fetch(bank, token: token),
        ]
        for answer in answers {
            #expect(answer.code == 200)
            let message = try #require(answer.message)
            let seconds = try #require(message.firstMatch(of: /([0-9]+) seconds/).flatMap { Int($0.1) })
            #expect(abs(seconds - 600) <= 120, "\(message)")
            #expect(message.contains(side))
        }
    }

    @Test("The bank's own tolerance applies")
    func ownTolerance() async throws {
        let service = try await Service.shared.value
        let cardholder = TestCardholder()
        let bank = try await service.makeBank(["--timestamp-tolerance", "1200"], cardholders: [cardholder])
        for (awaySeconds, code) in [(-1300, 200), (1300, 200), (1100, 0), (-1100, 0)] {
            let timestamp = TestBank.timestamp(awaySeconds)
            let answer = try await service.server.fetch(bank, cardholder, timestamp: timestamp)
            #expect(answer.code == code, "\(awaySeconds)")
        }
    }
}
