internal import Cryptography
package import SecureMemory

/// Where master keys are: a file or a token.
package protocol Vault: Sendable {
    var kind: VaultKind { get }
    /// Where it is, for operators: the file's path, or the token's label.
    var name: String { get }

    /// The master key with that id; nil if this vault does not have it.
    ///
    /// - Throws: `vaultUnavailable`, `unusableFile`, `vaultNeedsPIN`.
    func masterKey(_ id: String) async throws(KeyVaultError) -> (any MasterKey)?

    /// Makes sure that the vault exists.
    ///
    /// - Throws: as ``masterKey(_:)``.
    func requirePresence() async throws(KeyVaultError)

    /// Makes a master key. A file has only one: if it exists, it is returned.
    ///
    /// - Throws: as ``masterKey(_:)``.
    func makeMasterKey() async throws(KeyVaultError) -> any MasterKey

    /// What the vault keeps of a kind: usually one record; two if a change was interrupted.
    ///
    /// - Throws: as ``masterKey(_:)``.
    func records(_ kind: VaultRecordKind) async throws(KeyVaultError) -> [[UInt8]]

    /// Keeps a record of a kind. It replaces the present ones. A token wears out: write rarely.
    ///
    /// - Throws: as ``masterKey(_:)``.
    func keep(_ record: [UInt8], as kind: VaultRecordKind) async throws(KeyVaultError)

    /// Replaces what the vault keeps of a kind. Of programs on one machine that do it with a file, one does it after the other. A token
    /// cannot be locked.
    ///
    /// - Parameter decide: gets the present records, and returns the new one; nil leaves them.
    /// - Throws: as ``masterKey(_:)``.
    func replace(
        _ kind: VaultRecordKind, _ decide: @Sendable ([[UInt8]]) -> [UInt8]?
    ) async throws(KeyVaultError)

    /// The keys of the vault that sign seals of the audit trail, always in the same order; none if it cannot sign.
    ///
    /// - Throws: as ``masterKey(_:)``.
    func sealKeys() async throws(KeyVaultError) -> [any SealKey]

    /// Makes a key that signs seals; nil if the vault cannot sign.
    ///
    /// - Throws: as ``masterKey(_:)``.
    func makeSealKey() async throws(KeyVaultError) -> (any SealKey)?

    /// Gives up the connection to the vault.
    func close() async
}

/// What a vault keeps beside its keys, where nobody who writes to the database can change it.
package enum VaultRecordKind: String, CaseIterable, Sendable {
    /// Who the operators are.
    case operators
    /// The newest seal of the audit trail.
    case auditMark = "audit-mark"
    /// The newest version of the inventory.
    case inventoryMark = "inventory-mark"
    /// That this is the copy of a vault in a backup. Only a file has it.
    case backupCopy = "backup-copy"
}

/// The limits of the records of one kind.
enum VaultRecordLimit {
    static let byteCount = 16_384
    static let count = 8
}

package enum VaultKind: String, Sendable {
    case file
    case token
}

extension MasterKey {
    /// Proves that the key can still seal and open.
    ///
    /// - Parameter probe: any secret of 16 bytes or more.
    /// - Throws: `KeyVaultError`.
    package func prove(with probe: SharedSecret) async throws(KeyVaultError) {
        let name = DataKeyName(id: 0, purpose: "proof")
        let opened = try await unwrap(try await wrap(probe, as: name), as: name)
        guard ConstantTime.areEqual(opened.bytes, probe.bytes) else {
            throw .vaultUnavailable("it does not return the value that it has wrapped")
        }
    }
}
