package import Administration
internal import CardCompanion
internal import CardCompanionModel
internal import CardCompanionStore
internal import Cryptography
internal import Foundation
internal import Glibc
internal import KeyVault
internal import SecureMemory

/// What a backup is, in `backup.json` beside its files.
package struct BackupRecord: Codable, Sendable {
    package struct File: Codable, Sendable {
        package let name: String
        package let bytes: Int
        /// In hex.
        package let sha256: String
    }

    /// What `database restored --backup-time` wants to know.
    package let time: String
    package let madeBy: String
    /// Of the program.
    package let version: String
    /// The number and hash of the newest seal of the audit trail; nil if there is none.
    package let seal: String?
    package let files: [File]
    /// Whether the vault's files were copied to a folder of their own.
    package let hasVault: Bool
}

/// A backup of an installation: a dump of the database in one folder, and the vault's files in another one, because who has both can
/// open all that is sealed.
package struct Backup: Sendable {
    static let dumpName = "database.dump"
    static let recordName = "backup.json"

    private let folder: String
    private let vaultFolder: String?

    /// - Parameters:
    ///   - folder: is created.
    ///   - vaultFolder: for the vault's files, is created; nil if they are backed up otherwise.
    /// - Throws: ``CommandError`` if a folder is there already, or the folders are not apart.
    package init(folder: String, vaultFolder: String?) throws(CommandError) {
        self.folder = Self.absolute(folder)
        self.vaultFolder = vaultFolder.map(Self.absolute)
        for path in [self.folder, self.vaultFolder].compactMap(\.self) where access(path, F_OK) == 0 {
            throw .refused("\(path) is there already: name another folder")
        }
        let folders = [self.folder, self.vaultFolder].compactMap { $0.map { "\($0)/" } }
        if folders.count == 2, folders[0].hasPrefix(folders[1]) || folders[1].hasPrefix(folders[0]) {
            throw .badInput(
                "--out and --vault-out must be apart, best on different media: who has the database and the vault can open all that "
                    + "is sealed")
        }
    }

    /// Makes the backup. Its folder gets its name when it is complete.
    ///
    /// - Throws: ``CommandError``, `StoreError`, `KeyVaultError`.
    package func make(_ options: some SettingOptions) async throws -> BackupRecord {
        try await Database.opened(options) { database, settings, logger in
            try await database.prepare(settings, logger: logger)
            return try await database.connected(to: database.url, settings, logger: logger) { store in
                try await Installation(settings, store, logger: logger).checkSchema()
                let vault = try fileVault(settings.vault)
                let dump = DatabaseDump(url: database.url, programs: settings.databaseBinaries)
                let record = try await write(dump, store)
                if let vault, let vaultFolder { try await Self.whole(vaultFolder) { try vault.copy(to: $0) } }
                return record
            }
        }
    }

    /// The vault to copy; nil if it is to be backed up otherwise.
    private func fileVault(_ settings: VaultSettings) throws(CommandError) -> FileVault? {
        guard vaultFolder != nil else { return nil }
        guard settings.token == nil else {
            throw .badInput(
                "--vault-out: the master key is on \(settings.name), which is backed up with its maker's means or a recovery key "
                    + "(docs/ceremonies.md): leave out --vault-out")
        }
        return FileVault(path: settings.file)
    }

    private func write(_ dump: DatabaseDump, _ store: Store) async throws -> BackupRecord {
        let tables = try await store.tableCount()
        // Before the dump: what was served since then may be missing in it.
        let time = WallClock.system.now()
        let seal = try await store.newestAuditSeal()?.mark.text
        return try await Self.whole(folder) { folder in
            let path = "\(folder)/\(Self.dumpName)"
            try await dump.write(to: path, tables: tables)
            chmod(path, 0o600)
            let record = BackupRecord(
                time: time.text, madeBy: AdminAction.actor, version: Release.version, seal: seal,
                files: [try Self.file(path)], hasVault: vaultFolder != nil)
            try OutputFile.write(try Terminal.encode(record) + "\n", to: "\(folder)/\(Self.recordName)")
            return record
        }
    }

    /// Lets `body` fill a new folder, which gets its name when it is complete.
    private static func whole<Result>(_ folder: String, _ body: (String) async throws -> Result) async throws -> Result
    {
        let draft = "\(folder).partial"
        guard mkdir(draft, 0o700) == 0 else {
            guard errno == EEXIST else {
                throw CommandError.notWritten("\(draft) cannot be made: \(String(cString: strerror(errno)))")
            }
            throw CommandError.refused(
                "\(draft) is there already: another backup is being made, or one was interrupted. In the latter case remove it"
            )
        }
        do {
            let result = try await body(draft)
            guard rename(draft, folder) == 0 else {
                throw CommandError.notWritten("\(folder) cannot be made: \(String(cString: strerror(errno)))")
            }
            return result
        } catch {
            try? FileManager.default.removeItem(atPath: draft)
            throw error
        }
    }

    private static func file(_ path: String) throws -> BackupRecord.File {
        let file = try InputFile.openForReading(path)
        defer { close(file) }
        let (hash, size) = (HashStream(.sha256), InputFile.byteCount(file) ?? 0)
        while let chunk = try InputFile.readChunk(file) { hash.update(chunk.bytes) }
        return BackupRecord.File(name: dumpName, bytes: size, sha256: Hex.encode(hash.hash()))
    }

    private static func absolute(_ path: String) -> String {
        let whole = URL(filePath: path).standardizedFileURL.path(percentEncoded: false)
        return whole.count > 1 && whole.hasSuffix("/") ? String(whole.dropLast()) : whole
    }
}
