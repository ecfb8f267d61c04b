import Foundation
import ServerHarness
import Testing

/// An installation with a server, a bank and a cardholder, whose audit trail a test looks at.
struct AuditFixture {
    let installation: TestInstallation
    let server: TestServer
    let bank: TestBank
    let holder = TestCardholder("holder-of-the-trail")

    init() async throws { try await self.init(on: TestInstallation()) }

    init(on installation: TestInstallation) async throws {
        self.installation = installation
        server = try await installation.startServer()
        bank = try await installation.makeBank()
        try await installation.provision([holder], of: bank, through: server)
    }

    /// - Returns: the answer's code.
    func fetch(_ holder: TestCardholder? = nil) async throws -> Int? {
        let token = bank.token(for: holder ?? self.holder)
        return try await server.post(Path.tokenCaptcha, TestApp().tokenCaptcha(bank, token)).code
    }

    /// Fetches, and confirms the delivery.
    ///
    /// - Returns: the notify's code.
    func deliver() async throws -> Int? {
        let (app, token) = (try TestApp(), bank.token(for: holder))
        let delivery = try app.open(try await server.post(Path.tokenCaptcha, app.tokenCaptcha(bank, token)))
        return try await server.post(Path.tokenNotify, delivery.tokenNotify(bank, holder, token: token)).code
    }

    /// Defines a PIN by token.
    func define(with key: SealingKey) async throws -> Int? {
        let token = bank.token(for: holder, type: "02")
        return try await server.post(
            "/v1/pin-definition/token/pin",
            [
                "token": .string(token.text), "signature": .string(try bank.signer.signature(of: token.text)),
                "pin": .string(try key.seal(Array("2749".utf8), SealedBinding("pin", for: token))),
            ]
        ).code
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
    let rows: Rows?

    struct Rows: Decodable {
        let cardholders: Int
        let passes: Int
        let faultCount: Int
        let faults: [Fault]
    }

    struct Fault: Decodable {
        let table: String?
        let bankId: String?
        let uniqueId: String?
        let subject: String?
        let text: String
    }
}

/// An entry as `audit show --json` shows it.
struct AuditEntry: Decodable, Equatable {
    let operation: String
    let outcome: String
    let bankId: String?
    let subject: String?
    let actor: String
}
