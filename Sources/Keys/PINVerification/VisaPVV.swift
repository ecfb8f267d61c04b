package import Cryptography
package import SecureMemory

/// The PIN verification value of Visa (PVV; Visa Payment Technology Standards Manual, "PVV method"): four digits that a host
/// keeps, and compares with those of an entered PIN.
package struct VisaPVV: Sendable, Equatable {
    /// How many digits of a PIN it covers, from the left.
    package static let pinDigitCount = 4
    /// How many digits of the PAN it covers: the last ones without the check digit.
    package static let panDigitCount = 11
    /// Which of an issuer's keys a card is under. 0: cards do not say.
    package static let keyIndexes = 0...6
    package static let keyByteCount = 16
    private static let valueDigitCount = 4

    /// The PIN verification key index (PVKI).
    package let keyIndex: Int

    /// - Returns: nil if there is no such index.
    package init?(keyIndex: Int) {
        guard Self.keyIndexes ~= keyIndex else { return nil }
        self.keyIndex = keyIndex
    }

    /// The value of a PIN.
    ///
    /// - Parameters:
    ///   - pin: at least four digits. Further ones do not count.
    ///   - pan: the whole number of the card.
    ///   - key: of Triple DES.
    package func value(
        of pin: borrowing SecretBytes, pan: borrowing SecretBytes, key: BlockCipher
    ) throws(PINVerificationError) -> SecretBytes {
        guard PINVerificationError.pinLengths ~= pin.count, pin.isDecimal else { throw .pin }
        guard pan.count > Self.panDigitCount, pan.isDecimal else { throw .pan }
        let encrypted = try key.encryptedBlock(ofHexDigits: parameter(pin, pan))
        return Self.decimalized(encrypted)
    }

    /// The transformed security parameter: digits of the PAN, the key index, and the beginning of the PIN.
    private func parameter(_ pin: borrowing SecretBytes, _ pan: borrowing SecretBytes) -> SecretBytes {
        SecretBytes(count: Self.panDigitCount + 1 + Self.pinDigitCount) { digits in
            let first = pan.count - 1 - Self.panDigitCount
            for index in 0..<Self.panDigitCount { digits[index] = pan.digit(first + index) }
            digits[Self.panDigitCount] = UInt8(keyIndex)
            for index in 0..<Self.pinDigitCount { digits[Self.panDigitCount + 1 + index] = pin.digit(index) }
        }
    }

    /// The first four decimal digits; if there are fewer, then the first letters, A as 0 to F as 5.
    private static func decimalized(_ hexDigits: borrowing SecretBytes) -> SecretBytes {
        hexDigits.withBytes { hexDigits in
            SecretBytes(count: valueDigitCount) { value in
                var count = 0
                for digit in hexDigits where digit <= 9 && count < valueDigitCount {
                    value[count] = 0x30 + digit
                    count += 1
                }
                for digit in hexDigits where digit > 9 && count < valueDigitCount {
                    value[count] = 0x30 + digit - 10
                    count += 1
                }
            }
        }
    }
}
