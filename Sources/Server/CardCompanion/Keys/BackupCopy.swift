package import KeyVault

/// Says in a vault's copy that it is from a backup. Marks in the copy are as old as the database of the same backup, so they cannot
/// show that the database went back. So no server starts with it before an operator has said what was restored.
package struct BackupCopy: Sendable {
    private static let title = "card-companion backup copy 1"

    /// The time of the backup; nil if the record cannot be read.
    let time: String?

    /// The record in the copy.
    ///
    /// - Parameter time: of the backup (ISO 8601).
    package static func record(of time: String) -> [UInt8] { Array("\(title)\nbackup \(time)\n".utf8) }

    /// What the vault says of itself; nil if it is not a copy. A token is copied by its maker's means, which do not say so.
    ///
    /// - Throws: `KeyVaultError`.
    package static func found(in vault: any Vault) async throws -> BackupCopy? {
        guard vault.kind == .file, let record = try await vault.records(.backupCopy).first else { return nil }
        let time = String(decoding: record, as: UTF8.self).split { $0 == " " || $0 == "\n" }.last.map(String.init)
        // Only the exact text is accepted.
        guard let time, time.utf8.allSatisfy(isOfTime), self.record(of: time) == record else {
            return BackupCopy(time: nil)
        }
        return BackupCopy(time: time)
    }

    /// An operator has said what was restored: servers can start with the vault.
    ///
    /// - Throws: `KeyVaultError`.
    package static func accept(_ vault: any Vault) throws {
        try (vault as? FileVault)?.remove(.backupCopy)
    }

    private static func isOfTime(_ character: UInt8) -> Bool {
        UInt8(ascii: "0")...UInt8(ascii: "9") ~= character || "-:TZ".utf8.contains(character)
    }

    /// Refuses a vault from a backup that nobody has accepted.
    ///
    /// - Throws: ``RestoredVault``; `KeyVaultError`.
    package static func refuse(_ vault: any Vault) async throws {
        if let copy = try await found(in: vault) { throw RestoredVault(copy: copy, vault: vault.name) }
    }
}

/// The vault is from a backup, and nobody has said yet whether the database is, too.
package struct RestoredVault: Error, CustomStringConvertible {
    let copy: BackupCopy
    let vault: String

    package init(copy: BackupCopy, vault: String) {
        self.copy = copy
        self.vault = vault
    }

    package var description: String {
        "The vault '\(vault)' is from a backup\(copy.time.map { " of \($0)" } ?? "")"
    }

    package var remedy: String {
        "if the database was restored as well, run 'card-companion database restored --backup-time \(copy.time ?? "…")' once, on one "
            + "machine, so that nothing is served twice. If that was done, or if only the vault was restored, run 'card-companion vault "
            + "restored'"
    }
}
