import Foundation
import ServerHarness
import Testing

/// From a file to a token, from one master key to the next, and back from the loss of a token.
@Suite("Master keys")
struct MasterKeyChangeTests {
    @Test("An installation moves from a file to a token while it serves, and then the file's wrappings go")
    func fileToToken() async throws {
        let installation = try await TestInstallation()
        let first = try await installation.startServer()
        let bank = try await installation.makeBank()
        let holder = TestCardholder()
        try await installation.provision([holder], of: bank, through: first)
        let token = try await TestVaultToken()
        let onToken = installation.with(environment: token.environment())
        let file = "\(installation.dataDirectory)/vault.key"

        let early = try await onToken.run(["vault", "rotate-data-key"])
        #expect(early.status != 0, "a new data key would be unknown to the servers with the file")
        try await onToken.run(["vault", "rewrap", "--from-file", file]).succeeded()
        try await onToken.run(["vault", "rewrap", "--from-file", file]).succeeded()
        let second = try await onToken.startServer()
        for server in [first, second] { #expect(try await server.fetch(holder, of: bank) == .delivered) }
        let both = try await VaultStatus.of(installation)
        #expect(both.masterKeys.map(\.kind) == ["file", "token"])
        #expect(both.masterKeys.map(\.status) == ["replaced", "active"])
        #expect(both.masterKeys.map(\.wrapped) == [7, 7], "a running server still needs the file")

        try await first.stop()
        try await eventually("the old wrappings are removed", within: TokenInstallation.limitSeconds) {
            try await VaultStatus.of(installation).masterKeys.map(\.wrapped) == [0, 7]
        }
        #expect(try await second.fetch(holder, of: bank) == .delivered)
        try FileManager.default.removeItem(atPath: file)
        let third = try await onToken.startServer()
        #expect(try await third.fetch(holder, of: bank) == .delivered)
    }

    @Test("Running servers change to a new master key of the token by themselves")
    func rotation() async throws {
        let vault = try await TokenInstallation()
        let servers = [try await vault.installation.startServer(), try await vault.installation.startServer()]
        let old = try #require(try await VaultStatus.of(vault.installation).masterKeys.first)
        try await vault.installation.run(["vault", "rotate"]).succeeded()
        try await eventually("both servers use the new key", within: TokenInstallation.limitSeconds) {
            let keys = try await VaultStatus.of(vault.installation).masterKeys
            return keys.map(\.servers) == [0, 2] && keys.map(\.wrapped) == [0, 7]
        }
        #expect(try await VaultStatus.of(vault.installation).masterKeys.first?.id == old.id)
        for server in servers { #expect(try await server.fetch(vault.holder, of: vault.bank) == .delivered) }
        try await vault.installation.run(["vault", "rotate-data-key"]).succeeded()
        #expect(try await VaultStatus.of(vault.installation).keys.count == 14)
        let file = try await TestInstallation().run(["vault", "rotate"])
        #expect(file.status == 1 && file.stderr.contains("rewrap"), "\(file)")
    }

    @Test("A rotation that was killed in the middle goes on with the key that it has made")
    func interrupted() async throws {
        let vault = try await TokenInstallation()
        try await vault.installation.run(["vault", "rotate"]).succeeded()
        // As after a kill: the new key is there, and has wrapped one data key.
        try await vault.installation.sql(
            """
            UPDATE master_key SET status = 'ACTIVE';
            DELETE FROM data_key_wrapping USING master_key
            WHERE master_key_id = master_key.id AND data_key_id > 1
                AND master_key.created_at = (SELECT max(created_at) FROM master_key)
            """)
        let before = try await VaultStatus.of(vault.installation).masterKeys
        #expect(before.map(\.wrapped) == [7, 1])
        let server = try await vault.installation.startServer()
        #expect(try await server.fetch(vault.holder, of: vault.bank) == .delivered)
        try await vault.installation.run(["vault", "rotate"]).succeeded()
        let after = try await VaultStatus.of(vault.installation).masterKeys
        #expect(after.map(\.id) == before.map(\.id), "no third key may be made")
        #expect(after.map(\.status) == ["replaced", "active"])
    }

    @Test("A replaced master key that is made active again gets no new data key, and no rotation goes back to it")
    func replacedKey() async throws {
        let vault = try await TokenInstallation()
        let installation = vault.installation
        try await installation.run(["vault", "rotate"]).succeeded()
        let old = try #require(try await VaultStatus.of(installation).masterKeys.first)
        // As if an interrupted rotation had made it.
        try await installation.attack(
            """
            UPDATE master_key SET status = CASE id WHEN '\(old.id)' THEN 'ACTIVE' ELSE 'REPLACED' END;
            DELETE FROM data_key_wrapping WHERE master_key_id = '\(old.id)' AND data_key_id > 1
            """)
        let server = try await installation.startServer()
        #expect(!server.logLines(with: "critical", "Somebody has changed keys", "master key \(old.id)").isEmpty)
        #expect(try await server.fetch(vault.holder, of: vault.bank) == .delivered)
        try await server.stop()
        let doctor = try await installation.run(["doctor"])
        #expect(doctor.stdout.contains("the master key \(old.id) is not in the database as the inventory has it"))
        try await installation.run(["vault", "rotate-data-key", "--purpose", "pins"]).succeeded()
        #expect(try await VaultStatus.of(installation).keys.last?.masterKeys.contains(old.id) == false)
        try await installation.run(["vault", "rotate"]).succeeded()
        let after = try await VaultStatus.of(installation).masterKeys
        #expect(after.count == 3 && after.first?.wrapped == 1 && after.last?.wrapped == 8, "\(after)")
        let again = try await installation.startServer()
        #expect(try await again.fetch(vault.holder, of: vault.bank) == .delivered)
    }

    @Test("After the token is destroyed, the custodians' components open everything on a new one")
    func recovery() async throws {
        let vault = try await TokenInstallation()
        let files = ["one", "two", "three"].map { TestFolder.shared.unused($0) }
        let warned = try await vault.installation.startServer()
        #expect(!warned.logLines(with: "This installation is unfinished").isEmpty)
        try await warned.stop()
        try await vault.installation.run(
            ["vault", "init"] + files.flatMap { ["--recovery-component-file", $0] }
        ).succeeded()
        for file in files {
            #expect(try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int == 0o600)
        }
        let twice = try await vault.installation.run(
            ["vault", "init"] + files.flatMap { ["--recovery-component-file", "\($0)-2"] })
        #expect(twice.status == 1 && twice.stderr.contains("has a recovery key"))
        // A data key that is made later is safe too, without the custodians.
        try await vault.installation.run(["vault", "rotate-data-key", "--purpose", "pins"]).succeeded()
        #expect(try await VaultStatus.of(vault.installation).keys.allSatisfy { $0.masterKeys.count == 2 })
        #expect(try await VaultStatus.of(vault.installation).warnings.isEmpty)
        let calm = try await vault.installation.startServer()
        #expect(calm.logLines(with: "This installation is unfinished").isEmpty)
        try await calm.stop()

        try await vault.token.destroy()
        let new = vault.with(try await TestVaultToken("new", beside: vault.token))
        func recover(_ files: [String]) async throws -> CommandResult {
            try await new.run(["vault", "recover"] + files.flatMap { ["--component-file", $0] })
        }
        let few = try await recover(Array(files.prefix(2)))
        #expect(few.status == 65 && few.stderr.contains("components are missing: 3"), "\(few)")
        let repeated = try await recover(files + [files[0]])
        #expect(repeated.status == 65 && repeated.stderr.contains("twice"), "\(repeated)")
        let text = try String(contentsOfFile: files[0], encoding: .utf8)
        let damaged = try TestFolder.shared.write(
            text.replacing(/:([0-9a-f])/, maxReplacements: 3) { ":\($0.1 == "7" ? "8" : "7")" }, named: "damaged")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: damaged)
        #expect(try await recover([damaged, files[1], files[2]]).status == 65)
        try await recover(files).succeeded()
        let server = try await new.startServer()
        #expect(try await server.fetch(vault.holder, of: vault.bank) == .delivered)
        #expect(try await VaultStatus.of(new).masterKeys.map(\.kind).sorted() == ["recovery", "token", "token"])

        let next = ["four", "five"].map { TestFolder.shared.unused($0) }
        try await new.run(
            ["vault", "init", "--replace-recovery-key"] + next.flatMap { ["--recovery-component-file", $0] }
        ).succeeded()
        try await eventually("only the new keys have wrappings", within: TokenInstallation.limitSeconds) {
            try await VaultStatus.of(new).masterKeys.map(\.wrapped).sorted() == [0, 0, 8, 8]
        }
        let old = try await recover(files)
        #expect(old.status == 65 && old.stderr.contains("another recovery key"), "\(old)")
        try await recover(next).succeeded()
    }

    @Test("A second token can take over when the first one is lost")
    func secondToken() async throws {
        let vault = try await TokenInstallation()
        let second = try await TestVaultToken("second", beside: vault.token)
        let onSecond = vault.with(second)
        try await onSecond.run(
            [
                "vault", "rewrap", "--keep", "--from-module", vault.token.modulePath, "--from-token", vault.token.label,
                "--from-pin-file", vault.token.pinFile,
            ]
        ).succeeded()
        #expect(try await VaultStatus.of(vault.installation).warnings.isEmpty)
        #expect(try await VaultStatus.of(vault.installation).masterKeys.map(\.status) == ["active", "active"])
        let server = try await vault.installation.startServer()
        #expect(try await server.fetch(vault.holder, of: vault.bank) == .delivered)
        try await server.stop()
        try await vault.token.destroy()
        let other = try await onSecond.startServer()
        #expect(try await other.fetch(vault.holder, of: vault.bank) == .delivered)
    }

    @Test("A rotation on the first token leaves the key of the second one in use")
    func rotationWithSecondToken() async throws {
        let vault = try await TokenInstallation()
        let onSecond = vault.with(try await TestVaultToken("second", beside: vault.token))
        try await onSecond.run(
            [
                "vault", "rewrap", "--keep", "--from-module", vault.token.modulePath, "--from-token", vault.token.label,
                "--from-pin-file", vault.token.pinFile,
            ]
        ).succeeded()
        let server = try await vault.installation.startServer()
        try await vault.installation.run(["vault", "rotate"]).succeeded()
        try await eventually("the old wrappings are removed", within: TokenInstallation.limitSeconds) {
            try await VaultStatus.of(vault.installation).masterKeys.map(\.wrapped) == [0, 7, 7]
        }
        try await server.stop()
        try await vault.token.destroy()
        let other = try await onSecond.startServer()
        #expect(try await other.fetch(vault.holder, of: vault.bank) == .delivered)
    }

    @Test("A disabled data key stands in the way of no change, and is recovered too")
    func disabledKey() async throws {
        let vault = try await TokenInstallation()
        try await vault.installation.run(["vault", "rotate-data-key", "--purpose", "keypads"]).succeeded()
        try await vault.setAfterActivation("3", "disabled")
        let files = ["one", "two"].map { TestFolder.shared.unused($0) }
        try await vault.installation.run(
            ["vault", "init"] + files.flatMap { ["--recovery-component-file", $0] }
        ).succeeded()
        try await vault.installation.run(["vault", "rotate"]).succeeded()
        #expect(
            try await VaultStatus.of(vault.installation).keys.map(\.masterKeys.count) == Array(repeating: 3, count: 8))
        try await vault.token.destroy()
        let new = vault.with(try await TestVaultToken("new", beside: vault.token))
        let recovered = try await new.run(["vault", "recover"] + files.flatMap { ["--component-file", $0] }).succeeded()
        #expect(recovered.stdout.contains("recovered 8 data keys"))
        try await new.run(
            ["vault", "set-data-key", "3", "--state", "usable"], clockOffsetSeconds: TokenInstallation.activationSeconds
        ).succeeded()
        let server = try await new.startServer()
        #expect(try await server.fetch(vault.holder, of: vault.bank) == .delivered)
    }

    @Test("A disabled data key that is lost is named, and stands in the way of nothing afterwards")
    func lostKey() async throws {
        let vault = try await TokenInstallation()
        try await vault.installation.run(["vault", "rotate-data-key", "--purpose", "keypads"]).succeeded()
        try await vault.setAfterActivation("3", "disabled")
        let files = ["one", "two", "three", "four"].map { TestFolder.shared.unused($0) }
        try await vault.installation.run(
            ["vault", "init"] + files.prefix(2).flatMap { ["--recovery-component-file", $0] }
        ).succeeded()
        try await vault.installation.sql(
            """
            DELETE FROM data_key_wrapping USING master_key
            WHERE master_key.id = master_key_id AND kind = 'recovery' AND data_key_id = 3
            """)
        try await vault.token.destroy()
        let new = vault.with(try await TestVaultToken("new", beside: vault.token))
        let recovered = try await new.run(["vault", "recover"] + files.prefix(2).flatMap { ["--component-file", $0] })
            .succeeded()
        #expect(recovered.stdout.contains("recovered 7 data keys"))
        #expect(recovered.stderr.contains("the data keys 3 were not"))
        try await new.run(["vault", "rotate"]).succeeded()
        try await new.run(
            ["vault", "init", "--replace-recovery-key"]
                + files.suffix(2).flatMap { ["--recovery-component-file", $0] }
        ).succeeded()
        let server = try await new.startServer()
        #expect(try await server.fetch(vault.holder, of: vault.bank) == .delivered)
        #expect(try await VaultStatus.of(new).warnings.contains { $0.contains("the data keys 3 are lost") })
    }

    @Test("A file that was replaced and is used again gets its place back")
    func backToFile() async throws {
        let installation = try await TestInstallation()
        try await installation.run(["server-key", "list"]).succeeded()
        let token = try await TestVaultToken()
        let onToken = installation.with(environment: token.environment())
        let file = "\(installation.dataDirectory)/vault.key"
        try await onToken.run(["vault", "rewrap", "--from-file", file]).succeeded()
        try await installation.with(environment: token.moduleEnvironment).run(
            [
                "vault", "rewrap", "--from-module", token.modulePath, "--from-token", token.label, "--from-pin-file",
                token.pinFile,
            ]
        ).succeeded()
        let status = try await VaultStatus.of(installation)
        #expect(status.masterKeys.map(\.status) == ["active", "replaced"])
        let server = try await installation.startServer()
        #expect(try await server.status("/health/ready") == 200)
    }

    @Test("A writer to the database cannot put a recovery key of their own in the place of the real one")
    func foreignRecoveryKey() async throws {
        let vault = try await TokenInstallation()
        let files = ["one", "two"].map { TestFolder.shared.unused($0) }
        try await vault.installation.run(
            ["vault", "init"] + files.flatMap { ["--recovery-component-file", $0] }
        ).succeeded()
        try await vault.installation.sql(
            "UPDATE master_key SET sealed_public_key = set_byte(sealed_public_key, 40, 7) WHERE kind = 'recovery'")
        let result = try await vault.installation.run(["vault", "rotate-data-key", "--purpose", "pins"])
        #expect(result.status == 78 && result.stderr.contains("does not authenticate"), "\(result)")
        #expect(try await VaultStatus.of(vault.installation).keys.count == 7)
    }

    @Test("A compromised data key opens values only to seal them anew")
    func compromised() async throws {
        let vault = try await TokenInstallation()
        try await vault.installation.run(["bank", "set", vault.bank.id, "--fetch-limit", "100"]).succeeded()
        let server = try await vault.installation.startServer(["--housekeeping-interval-seconds", "3600"])
        let early = try await vault.installation.run(["vault", "set-data-key", "1", "--state", "compromised"])
        #expect(early.status == 1 && early.stderr.contains("rotate-data-key"), "\(early)")
        try await vault.installation.run(["vault", "rotate-data-key", "--purpose", "pins"]).succeeded()
        try await vault.setAfterActivation("1", "compromised")
        // Servers load keys each ten seconds. Until then the PIN is still delivered, and each time counts.
        try await eventually("the server opens it no longer", within: TokenInstallation.limitSeconds) {
            try await Task.sleep(for: .seconds(1))
            return try await server.fetch(vault.holder, of: vault.bank) == FetchAnswer(status: 200, code: 305)
        }
        try await server.stop()
        let sealing = try await vault.installation.startServer(["--housekeeping-interval-seconds", "1"])
        try await eventually("the PIN is sealed anew", within: TokenInstallation.limitSeconds) {
            try await vault.installation.sql("SELECT get_byte(sealed_pin, 3) FROM cardholder") == ["8"]
        }
        #expect(try await sealing.fetch(vault.holder, of: vault.bank) == .delivered)
        #expect(try await VaultStatus.of(vault.installation).keys.first?.status == "compromised")
    }
}
