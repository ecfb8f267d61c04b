import CardCompanionModel
import Cryptography
import KeyVault
import Logging
import SecureMemory

@testable import CardCompanion

/// What parsers need besides their input. It is always the same, so that an input always has the same effect.
enum Fixture {
    static let now = Timestamp(seconds: 1_800_000_000)
    static let bankId: Identifier = "BANK"
    static let uniqueId = "102456"

    static let keyring = make { try Keyring(Keyring.Keys(dataKeys)) }

    private static let dataKeys: [Keyring.Purpose: [Keyring.DataKey]] = Dictionary(
        uniqueKeysWithValues: Keyring.Purpose.allCases.enumerated().map { index, purpose in
            (purpose, [Keyring.DataKey(id: Int32(index + 1), key: SharedSecret(key(UInt8(index))), isActive: true)])
        })

    /// A key of an AES cipher.
    static func key(_ byte: UInt8, count: Int = 32) -> SecretBytes {
        SecretBytes(copying: (0..<count).map { byte &+ UInt8($0) })
    }
}
