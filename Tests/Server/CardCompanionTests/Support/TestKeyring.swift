import Cryptography
import KeyVault
import SecureMemory

/// A keyring with random keys.
func testKeyring() throws -> Keyring {
    func key(_ id: Int32, isActive: Bool) -> Keyring.DataKey {
        Keyring.DataKey(id: id, key: SharedSecret(SecureRandom.secret(count: 32)), isActive: isActive)
    }
    var keys: [Keyring.Purpose: [Keyring.DataKey]] = [:]
    for (index, purpose) in Keyring.Purpose.allCases.enumerated() {
        let id = Int32(2 * index + 1)
        keys[purpose] = [key(id, isActive: false), key(id + 1, isActive: true)]
    }
    return try Keyring(Keyring.Keys(keys))
}
