package import Administration
internal import CardCompanion
internal import CardCompanionModel
internal import CardCompanionStore
internal import Cryptography
internal import Foundation
internal import Glibc
internal import KeyVault
internal import SecureMemory
internal import UnixSignals

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
        self.folder = try NewFolder.resolved(folder)
        try NewFolder.requireNew(self.folder)
        guard let vaultFolder else {
            self.vaultFolder = nil
            return
        }
        let vault = try Self.apart(vaultFolder, from: self.folder)
        try NewFolder.requireNew(vault)
        self.vaultFolder = vault
    }

    /// A folder that is not in another one, nor the other way round.
    private static func apart(_ path: String, from folder: String) throws(CommandError) -> String {
        let place = URL(filePath: path).standardizedFileURL.path(percentEncoded: false)
        // A folder in one that is not there yet has no real path.
        let isInside = "\(place)/".hasPrefix("\(folder)/")
        let real = isInside ? place : try NewFolder.resolved(path)
        guard !isInside, !"\(real)/".hasPrefix("\(folder)/"), !"\(folder)/".hasPrefix("\(real)/") else {
            throw .badInput(
                "--out and --vault-out must be apart, best on different media: who has the database and the vault can open all that "
                    + "is sealed")
        }
        return real
    }

    /// Makes the backup. If the command is ended by a signal, pg_dump is ended too, and nothing is left.
    ///
    /// - Throws: ``CommandError``, `StoreError`, `KeyVaultError`.
    package func make(_ options: some SettingOptions) async throws -> BackupRecord {
        try await withThrowingTaskGroup(of: BackupRecord?.self) { group in
            group.addTask { try await makeToEnd(options) }
            group.addTask {
                for await _ in await UnixSignalsSequence(trapping: .sigint, .sigterm, .sighup) {
                    throw CommandError.refused("the backup was interrupted, and nothing of it is left")
                }
                return nil
            }
            defer { group.cancelAll() }
            while let ended = try await group.next() {
                if let record = ended { return record }
            }
            throw CancellationError()
        }
    }

    private func makeToEnd(_ options: some SettingOptions) async throws -> BackupRecord {
        try await Database.opened(options) { database, settings, logger in
            try await database.prepare(settings, logger: logger)
            return try await database.connected(to: database.url, settings, logger: logger) { store in
                try await Installation(settings, store, logger: logger).checkSchema()
                // The time of this backup would hide that the database may be an older one.
                if settings.vault.token == nil { try await BackupCopy.refuse(FileVault(path: settings.vault.file)) }
                let dump = DatabaseDump(url: database.url, programs: settings.databaseBinaries)
                // Before the dump: what was served since then may be missing in it.
                let time = WallClock.system.now().text
                guard let vaultFolder else { return try await write(dump, as: time, store) }
                let vault = try Self.fileVault(settings.vault)
                return try await NewFolder.fill(vaultFolder) { draft in
                    try vault.copy(to: draft, note: BackupCopy.record(of: time))
                    return try await write(dump, as: time, store)
                }
            }
        }
    }

    /// The vault to copy.
    ///
    /// - Throws: ``CommandError`` if it is a token.
    private static func fileVault(_ settings: VaultSettings) throws(CommandError) -> FileVault {
        guard settings.token == nil else {
            throw .badInput(
                "--vault-out: the master key is on \(settings.name), which is backed up with its maker's means or a recovery key "
                    + "(docs/ceremonies.md): leave out --vault-out")
        }
        return FileVault(path: settings.file)
    }

    private func write(_ dump: DatabaseDump, as time: String, _ store: Store) async throws -> BackupRecord {
        let tables = try await store.tableCount()
        let seal = try await store.newestAuditSeal()?.mark.text
        return try await NewFolder.fill(folder) { folder in
            let path = "\(folder)/\(Self.dumpName)"
            try await dump.write(to: path, tables: tables)
            chmod(path, 0o600)
            let record = BackupRecord(
                time: time, madeBy: AdminAction.actor, version: Release.version, seal: seal,
                files: [try Self.file(path)], hasVault: vaultFolder != nil)
            try OutputFile.write(try Terminal.encode(record) + "\n", to: "\(folder)/\(Self.recordName)")
            return record
        }
    }

    private static func file(_ path: String) throws -> BackupRecord.File {
        let file = try InputFile.openForReading(path)
        defer { close(file) }
        let (hash, size) = (HashStream(.sha256), InputFile.byteCount(file) ?? 0)
        while let chunk = try InputFile.readChunk(file) { hash.update(chunk.bytes) }
        return BackupRecord.File(name: dumpName, bytes: size, sha256: Hex.encode(hash.hash()))
    }
}
