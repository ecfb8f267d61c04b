import Foundation
import ServerHarness
import Testing

/// The master key on a token of SoftHSM: start, loss and return, and PINs that must not be tried.
@Suite("Vault on a token")
struct TokenVaultTests {
    @Test("A server whose master key is on a token serves, and needs no call of the token for a request")
    func serves() async throws {
        let vault = try await TokenInstallation()
        let server = try await vault.installation.startServer()
        try vault.token.behave(.gone)
        #expect(try await server.fetch(vault.holder, of: vault.bank) == .delivered)
        try vault.token.behave(.well)
        let before = vault.token.finalizeCount
        #expect(try await server.stop() == 0)
        #expect(vault.token.finalizeCount == before + 1, "the module must be finalized before the exit")
        let master = try #require(try await VaultStatus.of(vault.installation).masterKeys.first)
        #expect(master.kind == "token" && master.name == "cards" && master.wrapped == 7)
    }

    @Test("doctor says what to do about a token that has no master key, and about one that is gone")
    func doctor() async throws {
        let token = try await TestVaultToken()
        let installation = try await TestInstallation(environment: token.environment())
        let result = try await installation.run(["doctor"])
        #expect(result.status == 1)
        #expect(result.stdout.contains("the token 'cards' has no master key of this database"), "\(result)")
        #expect(result.stdout.contains("make one with 'card-companion vault init'"))

        let vault = try await TokenInstallation()
        let folder = TestFolder.shared.unused("evidence")
        _ = try await vault.installation.run(["evidence", "--out", folder, "--http-port", "0"])
        let evidence = try String(contentsOfFile: "\(folder)/evidence.json", encoding: .utf8)
        #expect(evidence.contains(#""use":"signs seals of the audit trail""#))
        try vault.token.behave(.gone)
        let gone = try await vault.installation.run(["doctor"])
        #expect(gone.status == 1)
        #expect(gone.stdout.contains("see that the token is there and its service runs"), "\(gone)")
    }

    @Test("A token that chooses its own IVs is fine")
    func ownIV() async throws {
        let vault = try await TokenInstallation()
        try vault.token.behave(.ownIV)
        try await vault.installation.run(["vault", "rotate"]).succeeded()
        let server = try await vault.installation.startServer()
        #expect(try await server.fetch(vault.holder, of: vault.bank) == .delivered)
    }

    @Test(
        "If the token is lost, the server serves for the grace time, then answers 503, and serves again by itself",
        arguments: [TestVaultToken.Behavior.gone, .hang])
    func loss(_ behavior: TestVaultToken.Behavior) async throws {
        let vault = try await TokenInstallation(["VAULT_GRACE_SECONDS": "25"])
        let server = try await vault.installation.startServer()
        try vault.token.behave(behavior)
        try await eventually("the server alarms", within: TokenInstallation.limitSeconds) {
            !server.logLines(with: "critical", "The vault does not work").isEmpty
        }
        #expect(try await server.status("/health/ready") == 200, "the server must serve for the grace time")
        try await eventually("the keys are wiped", within: TokenInstallation.limitSeconds) {
            try await server.status("/health/ready") == 503
        }
        #expect(try await server.fetch(vault.holder, of: vault.bank) == .unavailable)
        #expect(try await server.status("/.well-known/jwks.json") == 503)
        #expect(try await server.status("/openapi.yaml") == 503)
        #expect(try await server.status("/health/live") == 200)
        try await eventually("the server says so") {
            !server.logLines(with: "critical", "its keys were wiped").isEmpty
        }

        try vault.token.behave(.well)
        try await eventually("the vault is back", within: TokenInstallation.limitSeconds) {
            try await server.status("/health/ready") == 200
        }
        #expect(try await server.fetch(vault.holder, of: vault.bank) == .delivered)
        #expect(try await server.status("/.well-known/jwks.json") == 200)
        #expect(try await server.stop() == 0)
    }

    @Test("With no grace time, the keys are wiped at the first failure")
    func noGrace() async throws {
        let vault = try await TokenInstallation(["VAULT_GRACE_SECONDS": "0"])
        let server = try await vault.installation.startServer()
        try vault.token.behave(.gone)
        try await eventually("the keys are wiped", within: TokenInstallation.limitSeconds) {
            try await server.status("/health/ready") == 503
        }
        #expect(server.logLines(with: "The vault does not work").count == 1)
    }

    @Test("A sealed server is not opened with a restored database that lacks seals which the token knows")
    func restored() async throws {
        let vault = try await TokenInstallation()
        let first = try await vault.installation.startServer()
        #expect(try await first.fetch(vault.holder, of: vault.bank) == .delivered)
        try await eventually("there is a seal") {
            try await vault.installation.sql("SELECT count(*) > 0 FROM audit_seal") == ["t"]
        }
        // It keeps the newest seal on the token.
        try await first.stop()
        try await vault.installation.sql("DELETE FROM audit_seal")
        let installation = vault.installation.with(environment: vault.token.environment(hasPIN: false))
        let server = try await installation.startServer()
        try await installation.untilSocketExists()
        let refused = try await installation.run(["vault", "unseal", "--pin-file", vault.token.pinFile])
        #expect(
            refused.status != 0 && refused.stderr.contains("'card-companion database restored' first"), "\(refused)")
        #expect(try await server.fetch(vault.holder, of: vault.bank) == .unavailable)
    }

    @Test("A server without a PIN starts sealed, and serves after 'vault unseal'")
    func sealed() async throws {
        let vault = try await TokenInstallation()
        let installation = vault.installation.with(environment: vault.token.environment(hasPIN: false))
        let server = try await installation.startServer()
        #expect(try await server.status("/health/live") == 200)
        for path in ["/health/ready", "/.well-known/jwks.json", "/openapi.yaml", "/docs"] {
            #expect(try await server.status(path) == 503, "\(path)")
        }
        #expect(try await server.fetch(vault.holder, of: vault.bank) == .unavailable)
        #expect(!server.logLines(with: "critical", "vault unseal").isEmpty)

        try await installation.untilSocketExists()
        let attributes = try FileManager.default.attributesOfItem(atPath: installation.vaultSocket)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        let unsealed = try await installation.run(["vault", "unseal", "--pin-file", vault.token.pinFile])
        #expect(unsealed.status == 0 && unsealed.stdout.contains("the vault is open"), "\(unsealed)")
        #expect(try await server.fetch(vault.holder, of: vault.bank) == .delivered)
        #expect(!server.log.contains(vault.token.pin))
        try await server.stop()
        #expect(!FileManager.default.fileExists(atPath: installation.vaultSocket))
        let nobody = try await installation.run(["vault", "unseal", "--pin-file", vault.token.pinFile])
        #expect(nobody.status == 69 && nobody.stderr.contains("no server listens"))
    }

    @Test("A refused PIN is never tried again by itself, not even after a restart")
    func refusedPIN() async throws {
        let vault = try await TokenInstallation()
        let wrong = try TestFolder.shared.write("000000", named: "pin")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: wrong)
        let installation = vault.installation.with(
            environment: vault.token.environment().merging(["VAULT_PIN_FILE": wrong]) { $1 })
        let before = vault.token.logInCount
        let server = try await installation.startServer()
        #expect(try await server.status("/health/ready") == 503)
        try await Task.sleep(for: .seconds(12))
        #expect(vault.token.logInCount == before + 1)
        try await server.stop()
        // The token remembers that there was a wrong PIN.
        let second = try await vault.installation.startServer()
        #expect(try await second.status("/health/ready") == 503)
        #expect(vault.token.logInCount == before + 1)
        #expect(!second.logLines(with: "critical", "wrong PIN").isEmpty)

        try await installation.untilSocketExists()
        let refused = try await installation.run(["vault", "unseal", "--pin-file", wrong])
        #expect(refused.status == 1 && refused.stderr.contains("the token refuses the PIN"), "\(refused)")
        #expect(vault.token.logInCount == before + 2)
        try await installation.run(["vault", "unseal", "--pin-file", vault.token.pinFile]).succeeded()
        #expect(try await second.fetch(vault.holder, of: vault.bank) == .delivered)
    }

    @Test("A mistyped PIN does not end the session of a server that works")
    func mistypedPIN() async throws {
        let vault = try await TokenInstallation()
        let server = try await vault.installation.startServer()
        let before = vault.token.logInCount
        let wrong = try TestFolder.shared.write("000000", named: "pin")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: wrong)
        try await vault.installation.untilSocketExists()
        try await vault.installation.run(["vault", "unseal", "--pin-file", wrong]).succeeded()
        #expect(vault.token.logInCount == before)
        #expect(try await server.status("/health/ready") == 200)
    }

    @Test("If the token has one try left, a PIN is tried only by a person who accepts that")
    func lastTry() async throws {
        let vault = try await TokenInstallation()
        try vault.token.behave(.finalTry)
        let before = vault.token.logInCount
        let server = try await vault.installation.startServer()
        #expect(try await server.status("/health/ready") == 503)
        let arguments = ["vault", "unseal", "--pin-file", vault.token.pinFile]
        try await vault.installation.untilSocketExists()
        let careful = try await vault.installation.run(arguments)
        #expect(careful.status == 1 && careful.stderr.contains("locks its PIN"), "\(careful)")
        #expect(vault.token.logInCount == before)
        try await vault.installation.run(arguments + ["--last-try"]).succeeded()
        #expect(vault.token.logInCount == before + 1)
        #expect(try await server.status("/health/ready") == 200)
    }

    @Test("A locked PIN is not tried at all")
    func locked() async throws {
        let vault = try await TokenInstallation()
        try vault.token.behave(.locked)
        let before = vault.token.logInCount
        let server = try await vault.installation.startServer()
        try await vault.installation.untilSocketExists()
        let answer = try await vault.installation.run(
            ["vault", "unseal", "--last-try", "--pin-file", vault.token.pinFile])
        #expect(answer.status == 1 && answer.stderr.contains("has locked its PIN"), "\(answer)")
        #expect(vault.token.logInCount == before)
        #expect(try await server.status("/health/ready") == 503)
    }

    @Test(
        "A token without a master key, another token, and a PIN file that others can read are refused with the remedy")
    func refusals() async throws {
        let token = try await TestVaultToken()
        let installation = try await TestInstallation(environment: token.environment())
        let early = try await installation.run(["vault", "rotate-data-key"])
        #expect(early.status != 0)
        let noKey = await #expect(throws: (any Error).self) { _ = try await installation.startServer() }
        #expect("\(try #require(noKey))".contains("vault init"))

        try await installation.run(["vault", "init"]).succeeded()
        let other = try await TestVaultToken("other", beside: token)
        let foreign = await #expect(throws: (any Error).self) {
            _ = try await installation.with(environment: other.environment()).startServer()
        }
        #expect("\(try #require(foreign))".contains("wrapped with another master key"))

        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: token.pinFile)
        let wide = await #expect(throws: (any Error).self) { _ = try await installation.startServer() }
        #expect("\(try #require(wide))".contains("chmod 0600"))

        let half = try await installation.with(environment: ["VAULT_MODULE": token.modulePath]).run(["check-config"])
        #expect(half.status == 78 && half.stderr.contains("only one of vault.module and vault.token is set"))
    }
}
