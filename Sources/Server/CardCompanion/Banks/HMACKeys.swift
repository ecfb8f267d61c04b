internal import CardCompanionModel
internal import Cryptography
internal import KeyVault
internal import SecureMemory

/// A bank's active HMAC keys for one service. Keys for another service are never tried.
struct HMACKeys: Sendable {
    /// Whether a key did not open although the vault has its data key.
    let hasDamagedKey: Bool
    /// The keys that could be opened.
    private let keys: [SharedSecret]

    /// - Throws: `vaultClosed`. A key that does not open for another reason is left out.
    init(
        _ records: [HMACKeyRecord], of bankId: Identifier, for usages: Set<HMACKeyUsage>, keyring: Keyring
    ) throws(KeyVaultError) {
        var opened: [SharedSecret] = []
        var damaged = false
        for record in records where record.status == .active && usages.contains(record.usage) {
            do throws(KeyVaultError) {
                let place = SealedPlace.hmacKey(bankId: bankId, label: record.label)
                opened.append(SharedSecret(try keyring.open(record.sealedKey, in: place)))
            } catch {
                if error == .vaultClosed { throw error }
                if case .damagedValue = error { damaged = true }
            }
        }
        keys = opened
        hasDamagedKey = damaged
    }

    var isEmpty: Bool { keys.isEmpty }

    /// Whether a hashMac was made with one of the keys.
    func authenticate(_ hashMac: [UInt8], over text: String) -> Bool {
        let message = Array(text.utf8)
        return keys.contains { HMACSHA256.isValid(hashMac, for: message, key: $0.bytes) }
    }
}
