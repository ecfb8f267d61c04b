import Foundation
import ServerHarness
import Testing

@Suite("backup")
struct BackupTests {
    private struct Record: Decodable {
        struct File: Decodable {
            let name: String
            let bytes: Int
            let sha256: String
        }

        let time: String
        let version: String
        let seal: String?
        let files: [File]
        let hasVault: Bool
    }

    private static func record(in folder: String) throws -> Record {
        try JSONDecoder().decode(Record.self, from: Data(contentsOf: URL(filePath: "\(folder)/backup.json")))
    }

    private static func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test("A backup that was made while a server serves can be restored with its vault, and serves")
    func restored() async throws {
        let installation = try await TestInstallation()
        let bank = try await installation.makeBank(["--retention", "keep-repeat"])
        let holder = TestCardholder()
        let server = try await installation.startServer()
        try await installation.provision([holder], of: bank, through: server)
        let (folder, vault) = (TestFolder.shared.unused("backup"), TestFolder.shared.unused("backup-vault"))
        let made = try await installation.run(["backup", "--out", folder, "--vault-out", vault]).succeeded()
        #expect(made.stdout.contains("wrote \(folder): the database as of"), "\(made)")
        #expect(made.stderr.isEmpty, "\(made)")
        try await server.stop()

        let record = try Self.record(in: folder)
        #expect(record.hasVault && record.seal?.contains(":") == true && !record.version.isEmpty)
        let dump = "\(folder)/database.dump"
        let sum = try await TestCommand.run("sha256sum", [dump]).succeeded().stdout
        #expect(record.files.map(\.name) == ["database.dump"] && sum.hasPrefix(record.files.first?.sha256 ?? "none"))
        #expect(record.files.first?.bytes == FileManager.default.contents(atPath: dump)?.count)
        #expect(try Self.mode(folder) == 0o700 && Self.mode(vault) == 0o700)
        for path in [dump, "\(folder)/backup.json", "\(vault)/vault.key"] { #expect(try Self.mode(path) == 0o600) }

        try await installation.sql("DROP SCHEMA card_companion CASCADE")
        try await TestCommand.run(
            "pg_restore", ["--no-owner", "--exit-on-error", "--dbname", installation.ownerURL, dump]
        ).succeeded()
        // As a minute later.
        try await installation.sql("DELETE FROM server_vault")
        let other = installation.with(environment: ["VAULT_FILE": "\(vault)/vault.key"])
        let remedy = "run 'card-companion database restored --backup-time \(record.time)' once"
        let refusal = await #expect(throws: ServerFailed.self) { _ = try await other.startServer() }
        #expect(refusal?.log.contains("The vault '\(vault)/vault.key' is from a backup of \(record.time)") == true)
        #expect(refusal?.log.contains(remedy) == true, "\(refusal?.log ?? "")")
        #expect(try await other.run(["doctor"]).stdout.contains(remedy))
        try await other.run(["database", "restored", "--backup-time", record.time]).succeeded()
        let next = try await other.startServer()
        // Requests of the second of the restore may be from before it, and are refused.
        try await eventually("the PIN is delivered") {
            let fetch = try TestApp().tokenCaptcha(bank, bank.token(for: holder))
            return try await next.post(Path.tokenCaptcha, fetch).code == 0
        }
    }

    @Test("If only the vault was restored, an operator says so, and servers start")
    func vaultOnly() async throws {
        let installation = try await TestInstallation()
        _ = try await installation.makeBank()
        let vault = TestFolder.shared.unused("backup-vault")
        try await installation.run(["backup", "--out", TestFolder.shared.unused("backup"), "--vault-out", vault])
            .succeeded()
        let restored = installation.with(environment: ["VAULT_FILE": "\(vault)/vault.key"])
        let refusal = await #expect(throws: ServerFailed.self) { _ = try await restored.startServer() }
        #expect(refusal?.log.contains("run 'card-companion vault restored'") == true, "\(refusal?.log ?? "")")
        let again = try await restored.run(["backup", "--out", TestFolder.shared.unused("backup")])
        #expect(again.status == 1 && again.stderr.contains("run 'card-companion vault restored'"), "\(again)")
        let other = installation.with(environment: ["VAULT_FILE": TestFolder.shared.unused("other.key")])
        let moved = try await other.run(["vault", "rewrap", "--from-file", "\(vault)/vault.key"])
        #expect(moved.status == 1 && moved.stderr.contains("run 'card-companion vault restored'"), "\(moved)")
        let accepted = try await restored.run(["vault", "restored"]).succeeded()
        #expect(accepted.stdout.contains("servers can start with the vault '\(vault)/vault.key'"), "\(accepted)")
        #expect(accepted.stderr.contains("operation=\"vault restored\""), "\(accepted)")
        try await restored.startServer().stop()
        let twice = try await restored.run(["vault", "restored"])
        #expect(twice.status == 1 && twice.stderr.contains("is not a copy from a backup"), "\(twice)")
    }

    @Test("Without --vault-out it says that the vault must be backed up as well")
    func databaseOnly() async throws {
        let installation = try await TestInstallation()
        let folder = TestFolder.shared.unused("backup")
        let made = try await installation.run(["backup", "--out", folder]).succeeded()
        #expect(made.stdout.contains("The vault is not in it: back it up as well"), "\(made)")
        #expect(try !Self.record(in: folder).hasVault)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == ["backup.json", "database.dump"])
    }

    @Test("Mistakes are refused with what to do, and leave nothing behind")
    func mistakes() async throws {
        let installation = try await TestInstallation()
        let place = TestFolder.shared.unused("backups")
        try FileManager.default.createDirectory(atPath: "\(place)/old", withIntermediateDirectories: true)
        func expect(
            _ status: Int32, _ words: String, _ arguments: String..., source: SourceLocation = #_sourceLocation
        ) async throws {
            let result = try await installation.run(["backup"] + arguments)
            #expect(result.status == status && result.stderr.contains(words), "\(result)", sourceLocation: source)
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: place) == ["old"], sourceLocation: source)
        }
        try await expect(1, "\(place)/old is there already: name another folder", "--out", "\(place)/old")
        try await expect(
            65, "--out and --vault-out must be apart", "--out", "\(place)/new", "--vault-out", "\(place)/new/vault")
        try await expect(65, "must be apart", "--out", "\(place)/new", "--vault-out", "\(place)/new/")
        try FileManager.default.createSymbolicLink(atPath: "\(place).link", withDestinationPath: place)
        try await expect(
            65, "must be apart", "--out", "\(place).link/old/new", "--vault-out", "\(place)/old/new/vault")
        try await expect(74, "/no/vault cannot be made", "--out", "\(place)/new", "--vault-out", "\(place)/no/vault")
        try await expect(74, "/no/new cannot be made", "--out", "\(place)/no/new")
        try await expect(
            1, "pg_dump was not found in \(place)", "--out", "\(place)/new", "--database-binaries", place)
        try await installation.sql("REVOKE SELECT ON cardholder FROM card_companion_service")
        try await expect(1, "permission denied for table cardholder", "--out", "\(place)/new")
    }

    @Test("What an interrupted backup has left is named, and not replaced")
    func interrupted() async throws {
        let installation = try await TestInstallation()
        let folder = TestFolder.shared.unused("backup")
        try FileManager.default.createDirectory(atPath: "\(folder).partial", withIntermediateDirectories: true)
        let result = try await installation.run(["backup", "--out", folder])
        #expect(result.status == 1 && result.stderr.contains("\(folder).partial is there already"), "\(result)")
    }

    @Test("A backup that is interrupted ends pg_dump, and leaves nothing", arguments: [SIGINT, SIGTERM, SIGHUP])
    func signal(_ signal: Int32) async throws {
        let installation = try await TestInstallation()
        let place = TestFolder.shared.unused("backups")
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        let environment = installation.environment
        try await installation.holding("LOCK TABLE cardholder IN ACCESS EXCLUSIVE MODE") { lock in
            let process = try TestProcess(
                [CardCompanionBinary.path, "backup", "--out", "\(place)/new"], environment: environment)
            try await eventually("pg_dump waits for the table") { try await lock.waiting() == 1 }
            process.send(signal)
            #expect(await process.ended() == 1)
            try await eventually("pg_dump has gone") { try await lock.waiting() == 0 }
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: place).isEmpty)
    }

    @Test("If the disk is full, nothing is left that looks like a backup")
    func fullDisk() async throws {
        let installation = try await TestInstallation()
        let place = TestFolder.shared.unused("backups")
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        let result = try await TestCommand.run(
            "prlimit", ["--fsize=4096", CardCompanionBinary.path, "backup", "--out", "\(place)/new"],
            environment: installation.environment)
        #expect(result.status == 1 && result.stderr.contains("pg_dump has failed"), "\(result)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: place).isEmpty)
    }
}
