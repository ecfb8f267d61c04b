import Cryptography
import KeyVault
import SecureMemory

/// A keyring with random keys.
func testKeyring() throws -> Keyring {
    let masterKey = PlainMasterKey()
    func key(_ id: Int32, isActive: Bool) throws -> Keyring.WrappedKey {
        Keyring.WrappedKey(
            id: id, bytes: try masterKey.wrap(SecureRandom.secret(count: 32)), masterKeyId: masterKey.id,
            isActive: isActive)
    }
    return try Keyring(
        sealing: [key(1, isActive: true)], authenticating: [key(2, isActive: false), key(3, isActive: true)],
        handingOut: [key(4, isActive: true)], masterKey: masterKey)
}

/// A master key in memory.
private struct PlainMasterKey: MasterKey {
    let id = "test"
    private let key = SharedSecret(SecureRandom.secret(count: 32))

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
