import ServerHarness
import Testing

/// Uniform errors: the client gets 203 instead of every code about the cardholder, or 206 for a token without
/// AuthenticationCode. Only the audit trail has the true code (section 2.9).
@Suite("Uniform errors")
struct UniformErrorTests {
    /// A cardholder in each state, and the true code that the audit trail must contain.
    private struct Cases {
        let bank: TestBank
        let cardholders: [(code: Int, holder: TestCardholder)]

        init(scheme: String, _ service: Service) async throws {
            let programme = ["--programme", Unique.name("programme")]
            let neighbours = TestCardholder()
            let suspended = TestCardholder(status: "SUSPENDED")
            let (withoutPIN, locked) = (TestCardholder(pin: nil), TestCardholder())
            let withoutChannel = TestCardholder(channels: [])
            bank = try await service.makeBank(
                programme + ["--uniform-errors", "true"], scheme: scheme,
                cardholders: [suspended, withoutPIN, locked, withoutChannel])
            _ = try await service.makeBank(programme, cardholders: [neighbours])
            try await service.installation.sql(
                "UPDATE cardholder SET authentication_failures = 3 WHERE \(locked.row(bank))")
            cardholders = [
                (301, TestCardholder()), (302, suspended), (303, withoutPIN), (307, locked), (308, neighbours),
                (309, withoutChannel),
            ]
        }
    }

    @Test("A fetch by authentication code is answered 203, with the message for a wrong code")
    func byCode() async throws {
        let service = try await Service.shared.value
        let cases = try await Cases(scheme: "PCI-CPP", service)
        for (code, holder) in cases.cardholders {
            let answer = try await service.server.fetch(cases.bank, holder)
            try check(answer, is: 203, "Wrong Authentication Code", truly: code, service)
        }
    }

    @Test("A fetch by a token with AuthenticationCode is answered 203")
    func byToken() async throws {
        let service = try await Service.shared.value
        let cases = try await Cases(scheme: "PCI-CPP", service)
        for (code, holder) in cases.cardholders {
            let answer = try await service.server.fetch(cases.bank, token: cases.bank.token(for: holder))
            try check(answer, is: 203, "Wrong Authentication Code", truly: code, service)
        }
    }

    @Test("A fetch by a CB bank's token is answered 206 without AuthenticationCode, and 203 with one")
    func byTokenAlone() async throws {
        let service = try await Service.shared.value
        let cases = try await Cases(scheme: "CB", service)
        for (code, holder) in cases.cardholders {
            let alone = cases.bank.token(for: holder.with(code: nil))
            let answer = try await service.server.fetch(cases.bank, token: alone)
            try check(answer, is: 206, "Invalid Signature", truly: code, service)
            let answerWithCode = try await service.server.fetch(cases.bank, token: cases.bank.token(for: holder))
            try check(answerWithCode, is: 203, "Wrong Authentication Code", truly: code, service)
        }
    }

    @Test("A wrong code has the same response, and codes that are not about the cardholder are unchanged")
    func others() async throws {
        let service = try await Service.shared.value
        let (server, holder) = (service.server, TestCardholder())
        let bank = try await service.makeBank(["--uniform-errors", "true"], cardholders: [holder])
        let wrong = try await server.fetch(bank, holder.with(code: "Code4712"))
        #expect(wrong.code == 203)
        #expect(wrong.message == "Wrong Authentication Code")
        #expect(try await server.fetch(bank, holder, changing: ["hashMac": "00"]).code == 205)
        #expect(try await server.fetch(bank, holder, timestamp: TestBank.timestamp(-1000)).code == 200)
        let token = bank.token(for: holder)
        #expect(try await server.fetch(bank, token: token).code == 0)
        #expect(try await server.fetch(bank, token: token).code == 210)
    }

    @Test("Without uniform errors the response and the audit trail have the same code")
    func off() async throws {
        let service = try await Service.shared.value
        let answer = try await service.server.fetch(service.bank.bank, TestCardholder())
        #expect(answer.code == 301)
        let line = try service.server.auditLine(of: answer)
        #expect(line.contains(" code=301 "))
        #expect(!line.contains("true_code"))
    }

    @Test("The audit trail does not depend on the log's level")
    func logLevel() async throws {
        let service = try await Service.shared.value
        let server = try await service.installation.startServer(["--log-level", "notice"])
        let answer = try await server.fetch(service.bank.bank, TestCardholder())
        #expect(try server.auditLine(of: answer).contains(" code=301 "))
        #expect(server.logLines(with: " info ").allSatisfy { $0.contains("trail=audit") })
        try await server.stop()
    }

    @Test("The audit trail says whether a refused hashMac is wrong or was already used")
    func spentHashMac() async throws {
        let service = try await Service.shared.value
        let (bank, server, cardholder) = (service.bank.bank, service.server, service.bank.cardholder())
        let now = TestBank.timestamp()
        #expect(try await server.fetch(bank, cardholder, timestamp: now).code == 0)
        let spent = try await server.fetch(bank, cardholder, timestamp: now)
        #expect(try server.auditLine(of: spent).contains(#" detail="it was already used" "#))
        let wrong = try await server.fetch(bank, cardholder, changing: ["hashMac": "00"])
        #expect(try server.auditLine(of: wrong).contains(#" detail="it does not match" "#))
    }

    private func check(
        _ answer: HTTPAnswer, is code: Int, _ message: String, truly trueCode: Int, _ service: Service
    ) throws {
        #expect(answer.code == code, "\(trueCode)")
        #expect(answer.message == message, "\(trueCode)")
        #expect(Set(answer.members.keys) == ["errorCode", "errorMessage"])
        let line = try service.server.auditLine(of: answer)
        #expect(line.contains(" code=\(code) "))
        #expect(line.contains(" true_code=\(trueCode) "))
    }
}
