internal import Foundation
internal import SecureMemory

/// A vault with one master key, in a file. See ``FileMasterKey``.
package struct FileVault: Vault {
    package let kind = VaultKind.file
    package let name: String

    package init(path: String) {
        name = path
    }

    /// The file is read each time: a server notices when it is gone.
    package func masterKey(_ id: String) async throws(KeyVaultError) -> (any MasterKey)? {
        guard isThere else { return nil }
        let key = try FileMasterKey(path: name)
        return key.id == id ? key : nil
    }

    package func requirePresence() async throws(KeyVaultError) {
        guard isThere else { throw .unusableFile(path: name, reason: "No such file or directory") }
    }

    package func makeMasterKey() async throws(KeyVaultError) -> any MasterKey {
        guard !isThere else { return try FileMasterKey(path: name) }
        try makeFolder()
        return try FileMasterKey.create(path: name)
    }

    private func makeFolder() throws(KeyVaultError) {
        do {
            try FileManager.default.createDirectory(
                atPath: (name as NSString).deletingLastPathComponent, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
        } catch {
            throw .unusableFile(path: name, reason: "its folder cannot be created")
        }
    }

    /// Beside the file of the master key.
    private func path(of kind: VaultRecordKind) -> String { "\(name).\(kind.rawValue)" }

    package func records(_ kind: VaultRecordKind) async throws(KeyVaultError) -> [[UInt8]] {
        let path = path(of: kind)
        guard FileManager.default.fileExists(atPath: path) else { return [] }
        let record = try SecretFile.read(path, byteLimit: VaultRecordLimit.byteCount)
        return [record.withBytes { Array($0) }]
    }

    package func keep(_ record: [UInt8], as kind: VaultRecordKind) async throws(KeyVaultError) {
        try makeFolder()
        try SecretFile.replace(path(of: kind), with: record)
    }

    package func replace(
        _ kind: VaultRecordKind, _ decide: @Sendable ([[UInt8]]) -> [UInt8]?
    ) async throws(KeyVaultError) {
        try makeFolder()
        let lock = try await FolderLock(of: name)
        defer { lock.release() }
        if let record = decide(try await records(kind)) { try SecretFile.replace(path(of: kind), with: record) }
    }

    /// Removes what the vault keeps of a kind, if there is anything.
    ///
    /// - Throws: `unusableFile`.
    package func remove(_ kind: VaultRecordKind) throws(KeyVaultError) {
        try SecretFile.remove(path(of: kind))
    }

    /// Copies the file of the master key and the records beside it into a folder, for a backup.
    ///
    /// - Parameter note: what the copy keeps as ``VaultRecordKind/backupCopy``.
    /// - Throws: `unusableFile` if there is no master key, or a file cannot be read or written.
    package func copy(to folder: String, note: [UInt8]) throws(KeyVaultError) {
        try copy(name, to: folder)
        for kind in VaultRecordKind.allCases where kind != .backupCopy {
            if FileManager.default.fileExists(atPath: path(of: kind)) { try copy(path(of: kind), to: folder) }
        }
        try SecretFile.write(SecretBytes(copying: note), to: place(of: path(of: .backupCopy), in: folder))
    }

    private func copy(_ path: String, to folder: String) throws(KeyVaultError) {
        let contents = try SecretFile.read(path, byteLimit: VaultRecordLimit.byteCount)
        try SecretFile.write(contents, to: place(of: path, in: folder))
    }

    private func place(of path: String, in folder: String) -> String {
        "\(folder)/\((path as NSString).lastPathComponent)"
    }

    /// A file cannot sign.
    package func sealKeys() async throws(KeyVaultError) -> [any SealKey] { [] }

    package func makeSealKey() async throws(KeyVaultError) -> (any SealKey)? { nil }

    private var isThere: Bool { FileManager.default.fileExists(atPath: name) }

    package func close() async {}
}
