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

    /// Fetches on the server's connections, each of which has a chain, until the entry with an outcome is not the last
    /// of its chain.
    func fetchUntilFollowed(_ outcome: String) async throws {
        try await eventually("the entry of \(outcome) has a later one in its chain") {
            async let first = fetch()
            async let second = fetch()
            _ = try await (first, second)
            return try await !installation.sql(
                """
                SELECT 1 FROM audit_entry AS entry JOIN audit_entry AS later USING (chain_id)
                WHERE entry.outcome = '\(outcome)' AND later.sequence > entry.sequence
                """
            ).isEmpty
        }
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
    let damagedRows: [String]
}

/// An entry as `audit show --json` shows it.
struct AuditEntry: Decodable, Equatable {
    let operation: String
    let outcome: String
    let bankId: String?
    let subject: String?
    let actor: String
}
