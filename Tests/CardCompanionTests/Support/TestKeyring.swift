import Cryptography
import KeyVault
import SecureMemory

/// A keyring with random keys.
func testKeyring() throws -> Keyring {
    func key(_ id: Int32, isActive: Bool) -> Keyring.DataKey {
        Keyring.DataKey(id: id, key: SharedSecret(SecureRandom.secret(count: 32)), isActive: isActive)
    }
    return try Keyring(
        Keyring.Keys(
            sealing: [key(1, isActive: true)], authenticating: [key(2, isActive: false), key(3, isActive: true)],
            handingOut: [key(4, isActive: true)]))
}
