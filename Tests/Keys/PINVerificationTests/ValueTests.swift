import Cryptography
import PINVerification
import SecureMemory
import Testing

func secret(_ text: String) -> SecretBytes { SecretBytes(copying: Array(text.utf8)) }

extension SecretBytes {
    /// The content. In a test it is not secret.
    var digits: String { withBytes { String(decoding: $0, as: UTF8.self) } }
}

/// Published examples, and what is refused.
@Suite("PVVs and offsets")
struct ValueTests {
    private static let pan = "1122334455667788"

    private func key(_ algorithm: BlockCipher.Algorithm = .tripleDES) throws -> BlockCipher {
        try BlockCipher(algorithm, key: #require(Hex.decode("0123456789ABCDEFFEDCBA9876543210")))
    }

    private func ibm(_ pinLength: Int = 4, data: String = "1:16:F") throws -> IBM3624 {
        let table = try #require(DecimalizationTable("1234567890123456"))
        let data = try #require(ValidationData(data))
        return try #require(IBM3624(table: table, validationData: data, pinLength: pinLength))
    }

    @Test("The examples of psec's documentation")
    func examples() throws {
        let pvv = try #require(VisaPVV(keyIndex: 3))
        #expect(try pvv.value(of: secret("4524"), pan: secret(Self.pan), key: key()).digits == "4021")
        #expect(try ibm().offset(of: secret("4524"), pan: secret(Self.pan), key: key()).digits == "0000")
    }

    @Test("A PVV covers the first four digits of a PIN")
    func firstFourDigits() throws {
        let pvv = try #require(VisaPVV(keyIndex: 3))
        #expect(try pvv.value(of: secret("4524987"), pan: secret(Self.pan), key: key()).digits == "4021")
    }

    @Test("PINs, PANs and keys that do not fit are refused")
    func refusals() throws {
        let pvv = try #require(VisaPVV(keyIndex: 1))
        for pin in ["123", "1234567890123", "12a4"] {
            #expect(throws: PINVerificationError.pin) {
                _ = try pvv.value(of: secret(pin), pan: secret(Self.pan), key: key())
            }
        }
        #expect(throws: PINVerificationError.pin) {
            _ = try ibm(5).offset(of: secret("1234"), pan: secret(Self.pan), key: key())
        }
        #expect(throws: PINVerificationError.pan) {
            _ = try pvv.value(of: secret("1234"), pan: secret("12345678901"), key: key())
        }
        #expect(throws: PINVerificationError.pan) {
            _ = try ibm(data: "2:16:F").offset(of: secret("1234"), pan: secret(Self.pan), key: key())
        }
        #expect(throws: PINVerificationError.otherKey) {
            _ = try pvv.value(of: secret("1234"), pan: secret(Self.pan), key: key(.aes))
        }
        #expect(VisaPVV(keyIndex: 7) == nil)
    }

    @Test(
        "Weak decimalization tables are refused",
        arguments: ["0000000000000000", "0123456701234567", "0000012345678900", "01234567890123", "0123456789ABCDEF"])
    func weakTables(text: String) {
        // Eight different digits, twice each, are allowed.
        #expect((DecimalizationTable(text) == nil) == (text != "0123456701234567"))
    }

    @Test(
        "Validation data has one form",
        arguments: [
            "", "1:16", "0:16:F", "1:17:F", "1:3:F", "1:16:FF", "1:16:g", "01:16:F", "1:16:f", "+1:16:F", "20:4:0",
        ])
    func validationData(text: String) {
        #expect(ValidationData(text) == nil)
    }
}
