import KeyVault
import SecureMemory
import Testing

@Suite("Values that are handed out")
struct HandedOutValueTests {
    private let place = SealedPlace("keypadId", .keypads, row: "BANK", "holder")
    private let secret = Array("73519284".utf8)
    private let hour: Int64 = 3600

    private func makeKeyring() throws -> Keyring {
        try keyring()
    }

    @Test("A value opens for the place that it was sealed for, at any later time")
    func opens() throws {
        let keyring = try makeKeyring()
        for seconds: Int64 in [0, 1, 1_795_305_600] {
            let sealed = try keyring.sealToHandOut(secret, for: place, at: seconds)
            #expect(try keyring.openHandedOut(sealed, for: place).revealed == secret)
        }
    }

    @Test("A value does not open for another place, or if a byte of it was changed")
    func changed() throws {
        let keyring = try makeKeyring()
        let sealed = try keyring.sealToHandOut(secret, for: place, at: hour)
        let other = SealedPlace("keypadId", .keypads, row: "BANK", "other")
        #expect(throws: KeyVaultError.damagedValue(other)) { _ = try keyring.openHandedOut(sealed, for: other) }
        for index in sealed.indices {
            var changed = sealed
            changed[index] ^= 1
            #expect(throws: KeyVaultError.self) { _ = try keyring.openHandedOut(changed, for: place) }
        }
        for count in 0..<sealed.count {
            #expect(throws: KeyVaultError.self) {
                _ = try keyring.openHandedOut(Array(sealed.prefix(count)), for: place)
            }
        }
    }

    @Test("Each hour has its own key")
    func hourly() throws {
        let keyring = try makeKeyring()
        var sealed = try keyring.sealToHandOut(secret, for: place, at: 5 * hour)
        // The hour is in bytes 4 to 7.
        #expect(Array(sealed[4..<8]) == [0, 0, 0, 5])
        sealed[7] = 6
        #expect(throws: KeyVaultError.damagedValue(place)) { _ = try keyring.openHandedOut(sealed, for: place) }
    }

    @Test("A stored value does not open as one that was handed out, or the other way round")
    func separate() throws {
        let keyring = try makeKeyring()
        #expect(throws: KeyVaultError.self) {
            _ = try keyring.openHandedOut(keyring.seal(secret, in: place), for: place)
        }
        #expect(throws: KeyVaultError.self) {
            _ = try keyring.open(keyring.sealToHandOut(secret, for: place, at: hour), in: place)
        }
    }
}
