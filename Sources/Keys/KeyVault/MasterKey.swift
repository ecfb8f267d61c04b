internal import Cryptography
package import SecureMemory

/// A root key. It only seals data keys. It can be in a file or on a token.
package protocol MasterKey: Sendable {
    /// Names the key without revealing anything about it, so that a wrong vault is detected.
    var id: String { get }

    /// Seals a data key with AES-256-GCM, for its name.
    ///
    /// - Returns: IV (12 bytes), ciphertext, tag (16 bytes).
    func wrap(_ dataKey: SharedSecret, as name: DataKeyName) async throws(KeyVaultError) -> [UInt8]

    /// Opens what ``wrap(_:as:)`` sealed for the same name.
    ///
    /// - Throws: `damagedDataKey` if it does not authenticate, `vaultUnavailable`.
    func unwrap(_ wrapped: [UInt8], as name: DataKeyName) async throws(KeyVaultError) -> SharedSecret
}

/// What a wrapped data key is authenticated with: a wrapped key does not open under the name of another one.
package struct DataKeyName: Sendable, Equatable {
    package let id: Int32
    /// `pins`, `codes` and so on.
    package let purpose: String

    package init(id: Int32, purpose: String) {
        self.id = id
        self.purpose = purpose
    }

    /// Id of the data key (4 bytes), purpose, a zero byte, the id of the key that wraps it.
    func bytes(under keyId: String) -> [UInt8] {
        id.bigEndianBytes + Array(purpose.utf8) + [0] + Array(keyId.utf8)
    }
}
