import Cryptography
import Foundation
import KeyVault
import SecureMemory
import Testing

extension SecretBytes {
    /// The content. In a test it is not secret.
    var revealed: [UInt8] { withBytes { [UInt8]($0) } }
}

/// Creates a folder for one test, and removes it afterwards.
func withFolder<Result>(_ body: (_ path: String) throws -> Result) throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appending(path: "key-vault-tests-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try body(folder.path)
}

/// A data key as in the database.
func wrappedKey(
    _ id: Int32, _ masterKey: any MasterKey, key: [UInt8] = SecureRandom.bytes(count: 32), isActive: Bool = true
) throws -> Keyring.WrappedKey {
    Keyring.WrappedKey(
        id: id, bytes: try masterKey.wrap(SecretBytes(copying: key)), masterKeyId: masterKey.id, isActive: isActive)
}

/// A keyring with one key for each purpose.
func keyring(_ masterKey: any MasterKey) throws -> Keyring {
    try Keyring(
        sealing: [wrappedKey(1, masterKey)], authenticating: [wrappedKey(2, masterKey)],
        handingOut: [wrappedKey(9, masterKey)], masterKey: masterKey)
}

/// A master key in memory.
struct PlainMasterKey: MasterKey {
    let id: String
    let key = SharedSecret(SecureRandom.secret(count: 32))

    func wrap(_ dataKey: borrowing SecretBytes) throws(KeyVaultError) -> [UInt8] {
        do {
            return try AESKeyWrap.wrap(dataKey, with: key.bytes)
        } catch {
            throw .engineFailure
        }
    }

    func unwrap(_ wrapped: [UInt8]) -> SecretBytes? {
        try? AESKeyWrap.unwrap(wrapped, with: key.bytes)
    }
}
