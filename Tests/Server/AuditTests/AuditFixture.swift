import Foundation
import ServerHarness
import Testing

/// An installation with a server, a bank and a cardholder, whose audit trail a test looks at.
struct AuditFixture {
    let installation: TestInstallation
    let server: TestServer
    let bank: TestBank
    let holder = TestCardholder("holder-of-the-trail")

    init() async throws {
        installation = try await TestInstallation()
        server = try await installation.startServer()
        bank = try await installation.makeBank()
        try await installation.provision([holder], of: bank, through: server)
    }

    /// - Returns: the answer's code.
    func fetch(_ holder: TestCardholder? = nil) async throws -> Int? {
        let token = bank.token(for: holder ?? self.holder)
        return try await server.post(Path.tokenCaptcha, TestApp().tokenCaptcha(bank, token)).code
    }

    func untilSealed() async throws { try await installation.untilSealed() }

    func verify(_ arguments: String...) async throws -> AuditVerification {
        let result = try await installation.run(["audit", "verify", "--json"] + arguments)
        try #require(result.status <= 1, "\(result)")
        let report = try JSONDecoder().decode(AuditVerification.self, from: Data(result.stdout.utf8))
        #expect((result.status == 0) == report.faults.isEmpty)
        return report
    }
}

/// What `audit verify --json` says.
struct AuditVerification: Decodable {
    let entries: Int
    let seals: Int
    let unsealed: Int
    let faults: [String]
}

/// An entry as `audit show --json` shows it.
struct AuditEntry: Decodable, Equatable {
    let operation: String
    let outcome: String
    let bankId: String?
    let subject: String?
    let actor: String
}
