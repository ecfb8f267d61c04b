import Cryptography
import KeyVault
import SecureMemory
import Testing

@Suite("Keyring")
struct KeyringTests {
    private let place = SealedPlace("cardholder.sealed_pin", .pins, row: "BANK", "4711")
    private let secret = Array("73519284".utf8)

    @Test("A sealed value opens in its place")
    func roundTrip() throws {
        let keyring = try keyring()
        for value in [[], secret, [UInt8](repeating: 0xFF, count: 10_000)] {
            #expect(try keyring.open(keyring.seal(value, in: place), in: place).revealed == value)
        }
    }

    @Test("A sealed value reveals only its length, and is different each time")
    func sealing() throws {
        let keyring = try keyring()
        let sealed = try keyring.seal(secret, in: place)
        #expect(sealed.count == secret.count + 4 + 12 + 16)
        #expect(!sealed.indices.contains { sealed[$0...].starts(with: secret) })
        #expect(sealed != (try keyring.seal(secret, in: place)))
    }

    @Test("A value does not open in another row or column, or with differently split key parts")
    func elsewhere() throws {
        let keyring = try keyring()
        let sealed = try keyring.seal(secret, in: place)
        let others = [
            SealedPlace("cardholder.sealed_pin", .pins, row: "BANK", "4712"),
            SealedPlace("cardholder.sealed_pin", .pins, row: "BANL", "4711"),
            SealedPlace("cardholder.sealed_free_field", .pins, row: "BANK", "4711"),
            SealedPlace("cardholder.sealed_pin", .pins, row: "BANK4", "711"),
            SealedPlace("cardholder.sealed_pin", .pins, row: "BANK4711"),
            SealedPlace("cardholder.sealed_pinBANK", .pins, row: "4711"),
            SealedPlace("cardholder.sealed_pin", .pins, row: "BANK", "4711", ""),
            SealedPlace("cardholder.sealed_pin", .keys, row: "BANK", "4711"),
        ]
        for other in others {
            #expect(other != place)
            #expect(throws: KeyVaultError.damagedValue(other)) { _ = try keyring.open(sealed, in: other) }
        }
    }

    @Test("Each purpose has keys of its own: a value does not open with those of another, and a MAC is another one")
    func purposes() throws {
        let keyring = try keyring()
        let places = Keyring.Purpose.allCases.map { SealedPlace("column", $0, row: "4711") }
        for place in places {
            let sealed = try keyring.seal(secret, in: place)
            for other in places where other != place {
                #expect(throws: KeyVaultError.damagedValue(other)) { _ = try keyring.open(sealed, in: other) }
            }
            #expect(try keyring.open(sealed, in: place).revealed == secret)
        }
        #expect(try Set(places.map { try keyring.authenticationCode(for: secret, in: $0) }).count == places.count)
        #expect(try Set(places.map { Array(try keyring.seal(secret, in: $0).prefix(4)) }).count == places.count)
    }

    @Test("A value does not open if a bit was changed, or if it was cut or lengthened")
    func tampering() throws {
        let keyring = try keyring()
        let sealed = try keyring.seal(secret, in: place)
        for bit in 0..<sealed.count * 8 {
            var changed = sealed
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(throws: KeyVaultError.self) { _ = try keyring.open(changed, in: place) }
        }
        for length in 0..<sealed.count {
            #expect(throws: KeyVaultError.self) { _ = try keyring.open(Array(sealed.prefix(length)), in: place) }
        }
        #expect(throws: KeyVaultError.damagedValue(place)) { _ = try keyring.open(sealed + [0], in: place) }
    }

    @Test("A value with an unknown data key has another error than a damaged value")
    func unknownKey() throws {
        let other = try Keyring(
            Keyring.Keys(dataKeys([.pins: [dataKey(77)]])))
        let sealed = try other.seal(secret, in: place)
        #expect(throws: KeyVaultError.unknownDataKey(id: 77)) { _ = try keyring().open(sealed, in: place) }
    }

    @Test("After a key rotation, old values still open, and new values use the new key")
    func rotation() throws {
        let (old, new) = (SecureRandom.bytes(count: 32), SecureRandom.bytes(count: 32))
        let before = try Keyring(Keyring.Keys(dataKeys([.pins: [dataKey(1, key: old)]])))
        let after = try Keyring(
            Keyring.Keys(dataKeys([.pins: [dataKey(1, key: old, isActive: false), dataKey(22, key: new)]])))
        #expect(try after.open(before.seal(secret, in: place), in: place).revealed == secret)
        let sealed = try after.seal(secret, in: place)
        #expect(Array(sealed.prefix(4)) == [0, 0, 0, 22])
        #expect(throws: KeyVaultError.unknownDataKey(id: 22)) { _ = try before.open(sealed, in: place) }
    }

    @Test("A MAC has 4 + 32 bytes, depends on value and place, and is not a plain hash")
    func authenticationCodes() throws {
        let keyring = try keyring()
        let code = try keyring.authenticationCode(for: secret, in: place)
        #expect(code.count == 4 + 32)
        #expect(try keyring.authenticationCodes(for: secret, in: place) == [code])
        #expect(
            try keyring.authenticationCode(for: secret, in: SealedPlace("other", .pins, row: "BANK", "4711")) != code)
        #expect(try keyring.authenticationCode(for: secret + [0], in: place) != code)
        #expect(Array(code.dropFirst(4)) != SHA256.hash(secret))
    }

    @Test("After a key rotation, the MACs still include the one with the old key")
    func codesAfterRotation() throws {
        let old = SecureRandom.bytes(count: 32)
        let before = try Keyring(Keyring.Keys(dataKeys([.pins: [dataKey(2, key: old)]])))
        let after = try Keyring(
            Keyring.Keys(dataKeys([.pins: [dataKey(2, key: old, isActive: false), dataKey(33)]])))
        let kept = try before.authenticationCode(for: secret, in: place)
        #expect(try after.authenticationCodes(for: secret, in: place).contains(kept))
        #expect(try after.authenticationCode(for: secret, in: place) != kept)
        #expect(try !after.authenticationCodes(for: secret + [0], in: place).contains(kept))
    }

    @Test("A keyring needs an active key for each purpose")
    func noActiveKey() throws {
        for purpose in Keyring.Purpose.allCases {
            for keys in [[], [dataKey(1, isActive: false)]] {
                #expect(throws: KeyVaultError.noActiveKey(purpose: purpose.rawValue)) {
                    _ = try Keyring.Keys(dataKeys([purpose: keys]))
                }
            }
        }
    }

    @Test("A data key of another length is refused", arguments: [16, 24, 40])
    func lengths(byteCount: Int) throws {
        let short = dataKey(1, key: SecureRandom.bytes(count: byteCount))
        #expect(throws: KeyVaultError.damagedDataKey(id: 1)) {
            _ = try Keyring.Keys(dataKeys([.pins: [short]]))
        }
    }

    @Test("A compromised key opens a value only to seal it anew")
    func compromised() throws {
        let key = SecureRandom.bytes(count: 32)
        let before = try Keyring(Keyring.Keys(dataKeys([.pins: [dataKey(1, key: key)]])))
        let after = try Keyring(
            Keyring.Keys(
                dataKeys([.pins: [dataKey(1, key: key, isActive: false, isCompromised: true), dataKey(33)]])))
        let sealed = try before.seal(secret, in: place)
        #expect(throws: KeyVaultError.compromisedDataKey(id: 1)) { _ = try after.open(sealed, in: place) }
        let anew = try #require(try after.sealedAnew(sealed, in: place))
        #expect(try after.open(anew, in: place).revealed == secret)
    }

    @Test("Without its keys, a keyring does nothing, and gets them back only when the vault is opened again")
    func closed() throws {
        let keyring = try keyring()
        let sealed = try keyring.seal(secret, in: place)
        keyring.close()
        #expect(!keyring.isOpen)
        #expect(throws: KeyVaultError.vaultClosed) { _ = try keyring.seal(secret, in: place) }
        #expect(throws: KeyVaultError.vaultClosed) { _ = try keyring.open(sealed, in: place) }
        #expect(throws: KeyVaultError.vaultClosed) { _ = try keyring.authenticationCode(for: secret, in: place) }
        #expect(throws: KeyVaultError.vaultClosed) { _ = try keyring.authenticationCodes(for: secret, in: place) }
        #expect(throws: KeyVaultError.vaultClosed) { _ = try keyring.sealToHandOut(secret, for: place, at: 0) }
        let keys = try Keyring.Keys(dataKeys())
        // A refresh that was under way when the keys were taken away.
        keyring.refresh(keys)
        #expect(!keyring.isOpen)
        keyring.replace(keys)
        #expect(keyring.isOpen)
    }

    @Test("Error texts name the number of the key")
    func descriptions() {
        let errors: [KeyVaultError] = [
            .foreignMasterKey(dataKeyId: 4), .damagedDataKey(id: 4), .unknownDataKey(id: 4),
        ]
        for error in errors { #expect(error.description.contains("4")) }
        #expect(KeyVaultError.noActiveKey(purpose: "pins").description.contains("pins"))
        let place = SealedPlace("cardholder.sealed_pin", .pins, row: "MYBANK", "4711")
        #expect(KeyVaultError.damagedValue(place).description.contains(" cardholder.sealed_pin of MYBANK, 4711 "))
        #expect(SealedPlace("key.mac", .keys).description == "key.mac")
        #expect(!KeyVaultError.engineFailure.description.isEmpty)
    }
}
