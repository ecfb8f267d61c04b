import Foundation
import ServerHarness
import Testing

/// Seals of the audit trail that a token signs.
@Suite("Seals by a token")
struct SealKeyTests {
    private struct Report: Decodable {
        struct Epoch: Decodable {
            let leavesToken: Bool
        }

        let seals: Int
        let faults: [String]
        let epochs: [Epoch]
    }

    private func verify(_ installation: TestInstallation) async throws -> Report {
        let result = try await installation.run(["audit", "verify", "--json"])
        try #require(result.status <= 1, "\(result)")
        return try JSONDecoder().decode(Report.self, from: Data(result.stdout.utf8))
    }

    /// The kinds of keys that have signed seals, in their order.
    private func signers(_ installation: TestInstallation) async throws -> [String] {
        try await installation.sql(
            """
            SELECT CASE WHEN seal_key.key_id IS NULL THEN 'server' ELSE 'token' END
            FROM audit_seal LEFT JOIN seal_key USING (key_id) ORDER BY number
            """)
    }

    @Test("The token signs, and its seals verify when the token is gone")
    func tokenSigns() async throws {
        let vault = try await TokenInstallation()
        let files = ["one", "two"].map { TestFolder.shared.unused($0) }
        try await vault.installation.run(
            ["vault", "init"] + files.flatMap { ["--recovery-component-file", $0] }
        ).succeeded()
        let server = try await vault.installation.startServer()
        #expect(try await server.fetch(vault.holder, of: vault.bank) == .delivered)
        try await vault.installation.untilSealed()
        try await server.stop()
        #expect(Set(try await signers(vault.installation)) == ["token"])
        #expect(try await vault.installation.sql("SELECT count(*) FROM seal_key") == ["1"])
        #expect(try await verify(vault.installation).faults == [])

        try await vault.token.destroy()
        let next = try await TestVaultToken("next", beside: vault.token)
        let recovered = vault.with(next)
        try await recovered.run(
            ["vault", "recover"] + files.flatMap { ["--component-file", $0] }
        ).succeeded()
        #expect(try await verify(recovered).faults == [])
        let second = try await recovered.startServer()
        #expect(try await second.fetch(vault.holder, of: vault.bank) == .delivered)
        try await recovered.untilSealed()
        #expect(try await recovered.sql("SELECT count(*) FROM seal_key") == ["2"])
        #expect(try await verify(recovered).faults == [])
    }

    @Test("When a lost token is back, it signs the next seal at once, with the key that it had")
    func tokenIsBack() async throws {
        let vault = try await TokenInstallation()
        let server = try await vault.installation.startServer()
        #expect(try await server.fetch(vault.holder, of: vault.bank) == .delivered)
        try await vault.installation.untilSealed()
        func failures() -> Int { server.logLines(with: "The audit trail could not be sealed").count }
        let keyPairs = vault.token.keyPairCount
        try vault.token.behave(.empty)
        // The server has its keys for a while, so there is something to seal.
        #expect(try await server.fetch(vault.holder, of: vault.bank).status == 200)
        try await eventually("the token cannot sign", within: TokenInstallation.limitSeconds) { failures() > 1 }
        try vault.token.behave(.well)
        let before = failures()
        try await vault.installation.untilSealed()
        // An attempt can have been under way when the token came back.
        #expect(failures() <= before + 1)
        #expect(vault.token.keyPairCount == keyPairs)
        #expect(try await vault.installation.sql("SELECT count(*) FROM seal_key") == ["1"])
        #expect(try await verify(vault.installation).faults == [])
    }

    @Test("A server without the token adds no seal after one of a token, until a new epoch begins")
    func downgrade() async throws {
        let vault = try await TokenInstallation()
        let onToken = try await vault.installation.startServer()
        _ = try await onToken.fetch(vault.holder, of: vault.bank)
        try await vault.installation.untilSealed()
        try await onToken.stop()
        let onFile = vault.installation.with(environment: vault.token.moduleEnvironment)
        try await onFile.run([
            "vault", "rewrap", "--from-module", vault.token.modulePath, "--from-token", vault.token.label,
            "--from-pin-file", vault.token.pinFile,
        ]).succeeded()

        let server = try await onFile.startServer()
        _ = try await server.fetch(vault.holder, of: vault.bank)
        try await eventually("the server says that it adds no seal", within: TokenInstallation.limitSeconds) {
            !server.logLines(with: "critical", "was signed by a token").isEmpty
        }
        #expect(Set(try await signers(onFile)) == ["token"])
        try await onFile.run(["audit", "new-epoch", "--reason", "the token is given up"]).succeeded()
        try await onFile.untilSealed()
        #expect(try await signers(onFile).last == "server")
        let report = try await verify(onFile)
        #expect(report.faults == [])
        #expect(report.epochs.map(\.leavesToken) == [true])
    }

    @Test("A row of the database that was changed is not believed: the token says which keys are its own")
    func foreignKey() async throws {
        let vault = try await TokenInstallation()
        let server = try await vault.installation.startServer()
        try await vault.installation.untilSealed()
        try await server.stop()
        try await vault.installation.sql(
            "UPDATE seal_key SET sealed_public_key = set_byte(sealed_public_key, 40, 7)")
        let result = try await vault.installation.run(["audit", "verify"]).succeeded()
        #expect(result.stdout.contains("are signed by the token's key"), "\(result)")
    }

    @Test("After the token's seals, a server's seal is found, and no server adds one after it")
    func forged() async throws {
        let vault = try await TokenInstallation()
        let server = try await vault.installation.startServer()
        _ = try await server.fetch(vault.holder, of: vault.bank)
        try await vault.installation.untilSealed()
        try await server.stop()
        // Whoever has the memory of a server has its signing key. A server with a file makes such a seal, if no token is known.
        let onFile = vault.installation.with(environment: vault.token.moduleEnvironment)
        try await onFile.run([
            "vault", "rewrap", "--keep", "--from-module", vault.token.modulePath, "--from-token", vault.token.label,
            "--from-pin-file", vault.token.pinFile,
        ]).succeeded()
        try await onFile.sql("DELETE FROM seal_key")
        let forger = try await onFile.startServer()
        _ = try await forger.fetch(vault.holder, of: vault.bank)
        let count = try await onFile.sql("SELECT count(*) FROM audit_seal")
        try await eventually("the server refuses to seal", within: TokenInstallation.limitSeconds) {
            !forger.logLines(with: "critical", "is not signed with a key").isEmpty
        }
        #expect(try await onFile.sql("SELECT count(*) FROM audit_seal") == count)
    }
}
