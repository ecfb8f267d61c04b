import Foundation
import ServerHarness
import Testing

/// An installation whose master key is on a token, with a bank and a cardholder.
struct TokenInstallation: Sendable {
    let token: TestVaultToken
    let installation: TestInstallation
    let bank: TestBank
    let holder: TestCardholder

    /// Servers prove the vault every ten seconds, and have failed after a hanging call of five seconds.
    static let limitSeconds = 180

    /// Nothing is changed in it: tests take copies.
    private static let original = Once { try await TokenInstallation(with: TestVaultToken()) }

    init(_ environment: [String: String] = [:]) async throws {
        let original = try await Self.original.value
        token = try original.token.copy()
        installation = try await original.installation.copy().with(
            environment: token.environment().merging(environment) { $1 })
        (bank, holder) = (original.bank, original.holder)
    }

    /// Sets what a replaced data key can do, as soon as servers use its successor.
    func setAfterActivation(_ dataKey: String, _ state: String) async throws {
        try await installation.run(
            ["vault", "set-data-key", dataKey, "--state", state], clockOffsetSeconds: Self.activationSeconds
        ).succeeded()
    }

    static let activationSeconds = 121

    private init(with token: TestVaultToken) async throws {
        self.token = token
        installation = try await TestInstallation(environment: token.environment())
        try await installation.run(["vault", "init"]).succeeded()
        bank = try await installation.makeBank()
        let server = try await installation.startServer()
        holder = TestCardholder()
        try await installation.provision([holder], of: bank, through: server)
        try await server.stop()
    }

    /// The same installation with another vault.
    func with(_ token: TestVaultToken) -> TestInstallation { installation.with(environment: token.environment()) }
}

/// The answer to a fetch by token: its HTTP status and its code.
struct FetchAnswer: Equatable, CustomStringConvertible {
    let status: Int
    let code: Int?

    static let delivered = FetchAnswer(status: 200, code: 0)
    static let unavailable = FetchAnswer(status: 503, code: nil)

    var description: String { "HTTP \(status), code \(code.map(String.init) ?? "none")" }
}

extension TestInstallation {
    /// The socket of 'vault unseal'.
    var vaultSocket: String { "\(dataDirectory)/vault.sock" }

    /// A server can serve a moment before it listens there.
    func untilSocketExists() async throws {
        try await eventually("the socket is there") { FileManager.default.fileExists(atPath: vaultSocket) }
    }
}

extension TestServer {
    func fetch(_ holder: TestCardholder, of bank: TestBank) async throws -> FetchAnswer {
        let app = try TestApp()
        let answer = try await post(Path.tokenCaptcha, app.tokenCaptcha(bank, bank.token(for: holder)))
        return FetchAnswer(status: answer.status, code: answer.status == 200 ? answer.code : nil)
    }

    func status(_ path: String) async throws -> Int { try await request("GET", path).status }
}
