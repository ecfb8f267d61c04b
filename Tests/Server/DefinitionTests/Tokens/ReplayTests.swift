import Foundation
import ServerHarness
import Testing

/// Tokens and hashMacs can be used only once (protocol, sections 2.1 and 2.3).
@Suite("Definition replay")
struct ReplayTests {
    @Test(
        "A token that was used before is answered 211, whatever the result of the first use",
        arguments: DefinitionCall.byToken)
    func spentWhateverComes(call: DefinitionCall) async throws {
        let service = try await Service.shared.value
        let right = try await service.defining("8305", call, service.holder())
        var faults: [(name: String, code: Int, attempt: Attempt)] = []
        func add(_ name: String, _ code: Int, change: (inout Attempt) -> Void) {
            var attempt = right
            attempt.transactionId = Unique.name("transaction")
            change(&attempt)
            faults.append((name, code, attempt))
        }
        add("a wrong tag", 200) { $0.sealing.spoil = { $0.tag[0] ^= 1 } }
        add("nothing", 130) { $0.plaintext = [] }
        add("not a PIN", 131) { $0.plaintext = Array("59,59".utf8) }
        add("an unknown cardholder", 111) { $0.uniqueId = "nobody" }
        for fault in faults {
            #expect(try await service.code(fault.attempt) == fault.code, "\(fault.name)")
            var again = right
            again.transactionId = fault.attempt.transactionId
            #expect(try await service.code(again) == 211, "after \(fault.name)")
        }
        #expect(try await service.code(right) == 0)
        #expect(try await service.code(right) == 211)
    }

    @Test(
        "A token is not spent by a request with a wrong signature, timestamp, type, certificate or key",
        arguments: DefinitionCall.byToken)
    func notSpent(call: DefinitionCall) async throws {
        let service = try await Service.shared.value
        let right = try await service.defining("8305", call, service.holder())
        let otherSigner = try await TestAuthority.shared.value.otherSigner
        let faults: [(Int, (inout Attempt) -> Void)] = [
            (206, { $0.signer = otherSigner }), (206, { $0.members["signature"] = "AAAA" }),
            (121, { $0.timestamp = .string("\(TestBank.timestamp(-3600))") }),
            (121, { $0.timestamp = .string("\(TestBank.timestamp(3600))") }), (209, { $0.tokenMembers["Type"] = "00" }),
            (200, { $0.sealing.header["kid"] = "unknown" }), (201, { $0.sealing.spoil = { $0.encryptedKey = [] } }),
            (200, { $0.tokenMembers["SignatureCertAlias"] = "unknown" }), (210, { $0.members["signature"] = "" }),
        ]
        for (code, change) in faults {
            var attempt = right
            change(&attempt)
            #expect(try await service.code(attempt) == code)
        }
        #expect(try await service.code(right) == 0)
    }

    @Test("Another token with a spent IdTransaction is answered 211, on both operations")
    func idIsWhatIsSpent() async throws {
        let service = try await Service.shared.value
        let first = try await service.defining("8305", .token, service.holder())
        #expect(try await service.code(first) == 0)
        for call in DefinitionCall.byToken {
            var other = try await service.defining("8305", call, service.holder())
            other.transactionId = first.transactionId
            #expect(try await service.code(other) == 211)
        }
    }

    @Test("A spent IdTransaction can still be used in distribution and by another bank")
    func scope() async throws {
        let service = try await Service.shared.value
        let holder = try await service.holder()
        let otherBank = try await service.installation.makeBank()
        let first = try await service.defining("8305", .token, holder)
        #expect(try await service.code(first) == 0)

        let token = service.bank.token(for: holder).with(["IdTransaction": .string(first.transactionId)])
        let fetch = try TestApp().tokenCaptcha(service.bank, token)
        #expect(try await service.server.post(Path.tokenCaptcha, fetch).code == 0)
        #expect(try await service.server.post(Path.tokenCaptcha, fetch).code == 210)

        var elsewhere = try await service.defining("8305", .token, service.holder(of: otherBank), of: otherBank)
        elsewhere.transactionId = first.transactionId
        #expect(try await service.code(elsewhere) == 0)
    }

    @Test(
        "A spent id is kept for twice the largest tolerance, whatever the bank's own is", arguments: [60, 300, 3600])
    func keptFor(tolerance: Int) async throws {
        let service = try await Service.shared.value
        let bank = try await service.installation.makeBank(["--timestamp-tolerance", "\(tolerance)"])
        let attempt = try service.attempt(.token, TestCardholder(), of: bank)
        #expect(try await service.code(attempt) == 111)
        let seconds = try await service.installation.sql(
            """
            SELECT extract(epoch FROM expires_at - now())::float FROM spent_proof
            WHERE kind = 'definition' AND digest = \(SQLText.spentDigest(attempt.transactionId))
            """)
        let kept = try #require(seconds.first.flatMap(Double.init))
        // Some time has passed since the request. The servers' clocks can differ by twenty minutes.
        let rule = 2.0 * 3600
        #expect(rule...rule + 1200 ~= kept)
    }

    @Test("A spent id is kept at least until its token's timestamp is too old")
    func keptUntilTooOld() async throws {
        let service = try await Service.shared.value
        let tolerance = 1000
        let bank = try await service.installation.makeBank(["--timestamp-tolerance", "\(tolerance)"])
        try await service.warm(bank)
        // The earliest time at which a token is accepted: the second that is one tolerance before its timestamp. The
        // first requests are still too early.
        let timestamp = TestBank.timestamp(tolerance + 2)
        var attempt = try service.attempt(.token, TestCardholder(), of: bank)
        attempt.timestamp = .string("\(timestamp)")
        var code = 121
        while code == 121 { code = try await service.code(attempt) }
        #expect(code == 111)
        let isLongEnough = try await service.installation.sql(
            """
            SELECT expires_at >= to_timestamp(\(timestamp + tolerance + 1)) FROM spent_proof
            WHERE kind = 'definition' AND digest = \(SQLText.spentDigest(attempt.transactionId))
            """)
        #expect(isLongEnough == ["t"])
    }

    @Test("A spent id can be used again after it expires")
    func servesAgain() async throws {
        let service = try await Service.shared.value
        let attempt = try await service.defining("8305", .token, service.holder())
        #expect(try await service.code(attempt) == 0)
        func move(_ interval: String) async throws {
            try await service.installation.sql(
                """
                UPDATE spent_proof SET expires_at = now() + interval '\(interval)'
                WHERE kind = 'definition' AND digest = \(SQLText.spentDigest(attempt.transactionId))
                """)
        }
        try await move("1 minute")
        #expect(try await service.code(attempt) == 211)
        try await move("-1 second")
        #expect(try await service.code(attempt) == 0)
        #expect(try await service.code(attempt) == 211)
    }

    @Test("A hashMac that defined a PIN is spent, also for distribution")
    func hashMacOfDefinition() async throws {
        let service = try await Service.shared.value
        let holder = try await service.holder()
        let attempt = try service.attempt(.hmac, holder)
        #expect(try await service.code(attempt) == 0)
        #expect(try await service.code(attempt) == 141)
        var upperCase = attempt
        upperCase.members["hashMac"] = .string(attempt.hashMac.uppercased())
        #expect(try await service.code(upperCase) == 141)
        #expect(try await service.server.post(Path.captcha, capture(attempt, of: holder)).code == 205)
    }

    @Test("A hashMac that delivered a PIN is spent, also for definition")
    func hashMacOfDistribution() async throws {
        let service = try await Service.shared.value
        let holder = try await service.holder()
        let attempt = try service.attempt(.hmac, holder)
        let fetch = try await capture(attempt, of: holder)
        #expect(try await service.server.post(Path.captcha, fetch).code == 0)
        #expect(try await service.code(attempt) == 141)
    }

    @Test("A hashMac whose request was refused is not spent")
    func hashMacOfRefusal() async throws {
        let service = try await Service.shared.value
        let holder = try await service.holder()
        let attempt = try service.attempt(.hmac, holder)
        for (code, plaintext) in [(131, "12"), (130, ""), (131, "8305x")] {
            var refused = attempt
            refused.plaintext = Array(plaintext.utf8)
            #expect(try await service.code(refused) == code)
        }
        var fetch = try await capture(attempt, of: holder)
        fetch["authCode"] = "Wrong4711"
        #expect(try await service.server.post(Path.captcha, fetch).code == 203)
        #expect(try await service.code(attempt) == 0)
    }

    /// A fetch with the hashMac of a definition.
    private func capture(_ attempt: Attempt, of holder: TestCardholder) async throws -> [String: JSON] {
        let timestamp = try #require(attempt.timestamp.string.flatMap(Int.init))
        return try TestApp().captcha(attempt.bank, holder, timestamp: timestamp)
    }
}

extension Service {
    /// Loads a bank into the server's cache, so that the next request is not delayed.
    fileprivate func warm(_ bank: TestBank) async throws {
        try #require(try await code(attempt(.token, TestCardholder(), of: bank)) == 111)
    }
}
