import Cryptography
import KeyVault
import SecureMemory
import Testing

@Suite("Keyring")
struct KeyringTests {
    private let masterKey = PlainMasterKey(id: "master")
    private let place = SealedPlace("cardholder.sealed_pin", row: "BANK", "4711")
    private let secret = Array("73519284".utf8)

    @Test("A sealed value opens in its place")
    func roundTrip() throws {
        let keyring = try keyring(masterKey)
        for value in [[], secret, [UInt8](repeating: 0xFF, count: 10_000)] {
            #expect(try keyring.open(keyring.seal(value, in: place), in: place).revealed == value)
        }
    }

    @Test("A sealed value reveals only its length, and is different each time")
    func sealing() throws {
        let keyring = try keyring(masterKey)
        let sealed = try keyring.seal(secret, in: place)
        #expect(sealed.count == secret.count + 4 + 12 + 16)
        #expect(!sealed.indices.contains { sealed[$0...].starts(with: secret) })
        #expect(sealed != (try keyring.seal(secret, in: place)))
    }

    @Test("A value does not open in another row or column, or with differently split key parts")
    func elsewhere() throws {
        let keyring = try keyring(masterKey)
        let sealed = try keyring.seal(secret, in: place)
        let others = [
            SealedPlace("cardholder.sealed_pin", row: "BANK", "4712"),
            SealedPlace("cardholder.sealed_pin", row: "BANL", "4711"),
            SealedPlace("cardholder.sealed_free_field", row: "BANK", "4711"),
            SealedPlace("cardholder.sealed_pin", row: "BANK4", "711"),
            SealedPlace("cardholder.sealed_pin", row: "BANK4711"),
            SealedPlace("cardholder.sealed_pinBANK", row: "4711"),
            SealedPlace("cardholder.sealed_pin", row: "BANK", "4711", ""),
        ]
        for other in others {
            #expect(other != place)
            #expect(throws: KeyVaultError.damagedValue) { _ = try keyring.open(sealed, in: other) }
        }
    }

    @Test("A value does not open if a bit was changed, or if it was cut or lengthened")
    func tampering() throws {
        let keyring = try keyring(masterKey)
        let sealed = try keyring.seal(secret, in: place)
        for bit in 0..<sealed.count * 8 {
            var changed = sealed
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(throws: KeyVaultError.self) { _ = try keyring.open(changed, in: place) }
        }
        for length in 0..<sealed.count {
            #expect(throws: KeyVaultError.self) { _ = try keyring.open(Array(sealed.prefix(length)), in: place) }
        }
        #expect(throws: KeyVaultError.damagedValue) { _ = try keyring.open(sealed + [0], in: place) }
    }

    @Test("A value with an unknown data key has another error than a damaged value")
    func unknownKey() throws {
        let sealed = try Keyring(
            sealing: [wrappedKey(7, masterKey)], authenticating: [wrappedKey(2, masterKey)],
            handingOut: [wrappedKey(9, masterKey)], masterKey: masterKey
        ).seal(secret, in: place)
        #expect(throws: KeyVaultError.unknownDataKey(id: 7)) { _ = try keyring(masterKey).open(sealed, in: place) }
    }

    @Test("After a key rotation, old values still open, and new values use the new key")
    func rotation() throws {
        let (old, new) = (SecureRandom.bytes(count: 32), SecureRandom.bytes(count: 32))
        let authenticating = [try wrappedKey(9, masterKey)]
        let before = try Keyring(
            sealing: [wrappedKey(1, masterKey, key: old)], authenticating: authenticating,
            handingOut: [wrappedKey(9, masterKey)], masterKey: masterKey)
        let after = try Keyring(
            sealing: [wrappedKey(1, masterKey, key: old, isActive: false), wrappedKey(2, masterKey, key: new)],
            authenticating: authenticating,
            handingOut: [wrappedKey(9, masterKey)], masterKey: masterKey)
        #expect(try after.open(before.seal(secret, in: place), in: place).revealed == secret)
        let sealed = try after.seal(secret, in: place)
        #expect(Array(sealed.prefix(4)) == [0, 0, 0, 2])
        #expect(throws: KeyVaultError.unknownDataKey(id: 2)) { _ = try before.open(sealed, in: place) }
    }

    @Test("A MAC has 4 + 32 bytes, depends on value and place, and is not a plain hash")
    func authenticationCodes() throws {
        let keyring = try keyring(masterKey)
        let code = keyring.authenticationCode(for: secret, in: place)
        #expect(code.count == 4 + 32)
        #expect(keyring.authenticationCodes(for: secret, in: place) == [code])
        #expect(keyring.authenticationCode(for: secret, in: SealedPlace("other", row: "BANK", "4711")) != code)
        #expect(keyring.authenticationCode(for: secret + [0], in: place) != code)
        #expect(Array(code.dropFirst(4)) != SHA256.hash(secret))
    }

    @Test("After a key rotation, the MACs still include the one with the old key")
    func codesAfterRotation() throws {
        let old = SecureRandom.bytes(count: 32)
        let sealing = [try wrappedKey(1, masterKey)]
        let before = try Keyring(
            sealing: sealing, authenticating: [wrappedKey(2, masterKey, key: old)],
            handingOut: [wrappedKey(9, masterKey)], masterKey: masterKey)
        let after = try Keyring(
            sealing: sealing,
            authenticating: [wrappedKey(2, masterKey, key: old, isActive: false), wrappedKey(3, masterKey)],
            handingOut: [wrappedKey(9, masterKey)],
            masterKey: masterKey)
        let kept = before.authenticationCode(for: secret, in: place)
        #expect(after.authenticationCodes(for: secret, in: place).contains(kept))
        #expect(after.authenticationCode(for: secret, in: place) != kept)
        #expect(!after.authenticationCodes(for: secret + [0], in: place).contains(kept))
    }

    @Test("A keyring needs an active key for each purpose")
    func noActiveKey() throws {
        let key = try wrappedKey(1, masterKey)
        let retired = try wrappedKey(1, masterKey, isActive: false)
        for (sealing, authenticating) in [([], [key]), ([key], []), ([retired], [key]), ([key], [retired])] {
            #expect(throws: KeyVaultError.self) {
                _ = try Keyring(
                    sealing: sealing, authenticating: authenticating,
                    handingOut: [wrappedKey(9, masterKey)], masterKey: masterKey)
            }
        }
    }

    @Test("Keys wrapped with another master key are foreign; with the same id they are damaged")
    func foreignKeys() throws {
        let other = PlainMasterKey(id: "another")
        #expect(throws: KeyVaultError.foreignMasterKey(dataKeyId: 1)) {
            _ = try Keyring(
                sealing: [wrappedKey(1, other)], authenticating: [wrappedKey(2, masterKey)],
                handingOut: [wrappedKey(9, masterKey)], masterKey: masterKey)
        }
        let namesake = PlainMasterKey(id: "master")
        #expect(throws: KeyVaultError.damagedDataKey(id: 1)) {
            _ = try Keyring(
                sealing: [wrappedKey(1, namesake)], authenticating: [wrappedKey(2, masterKey)],
                handingOut: [wrappedKey(9, masterKey)], masterKey: masterKey)
        }
    }

    @Test("A data key of another length is refused")
    func lengths() throws {
        for length in [16, 24, 40] {
            let short = try wrappedKey(1, masterKey, key: SecureRandom.bytes(count: length))
            #expect(throws: KeyVaultError.damagedDataKey(id: 1)) {
                _ = try Keyring(
                    sealing: [short], authenticating: [wrappedKey(2, masterKey)],
                    handingOut: [wrappedKey(9, masterKey)], masterKey: masterKey)
            }
        }
    }

    @Test("Error texts name the number of the key")
    func descriptions() {
        let errors: [KeyVaultError] = [
            .foreignMasterKey(dataKeyId: 4), .damagedDataKey(id: 4), .unknownDataKey(id: 4),
        ]
        for error in errors { #expect(error.description.contains("4")) }
        #expect(KeyVaultError.noActiveKey(purpose: "seal").description.contains("seal"))
        #expect(!KeyVaultError.damagedValue.description.isEmpty)
        #expect(!KeyVaultError.engineFailure.description.isEmpty)
    }
}
