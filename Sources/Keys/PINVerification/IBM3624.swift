package import Cryptography
package import SecureMemory

/// The PIN offset of IBM 3624: what a host adds to the PIN that it derives from the PAN, digit by digit without carry (IBM
/// z/OS ICSF Application Programmer's Guide, "IBM 3624 PIN offset generation algorithm").
package struct IBM3624: Sendable, Equatable {
    package static let pinLengths = PINVerificationError.pinLengths

    package let table: DecimalizationTable
    package let validationData: ValidationData
    /// How many digits PIN and offset have.
    package let pinLength: Int

    /// - Returns: nil if no PIN has that length.
    package init?(table: DecimalizationTable, validationData: ValidationData, pinLength: Int) {
        guard Self.pinLengths ~= pinLength else { return nil }
        self.table = table
        self.validationData = validationData
        self.pinLength = pinLength
    }

    /// The offset of a PIN.
    ///
    /// - Parameters:
    ///   - pin: of ``pinLength`` digits.
    ///   - pan: the whole number of the card.
    ///   - key: of Triple DES.
    package func offset(
        of pin: borrowing SecretBytes, pan: borrowing SecretBytes, key: BlockCipher
    ) throws(PINVerificationError) -> SecretBytes {
        guard pin.count == pinLength, pin.isDecimal else { throw .pin }
        guard pan.count >= validationData.end, pan.isDecimal else { throw .pan }
        let encrypted = try key.encryptedBlock(ofHexDigits: validationData.digits(of: pan))
        return SecretBytes(count: pinLength) { offset in
            for index in 0..<pinLength {
                let natural = table.digit(encrypted.withBytes { $0[index] })
                offset[index] = 0x30 + (10 + pin.digit(index) - natural) % 10
            }
        }
    }
}

/// What each hex digit of an encrypted block becomes.
package struct DecimalizationTable: Sendable, Equatable {
    /// As payShield demands it of a table: with fewer digits, or one that is too frequent, a PIN can be guessed.
    package static let distinctDigitMinimum = 8
    package static let occurrenceLimit = 4
    private static let count = 16

    /// Sixteen decimal digits.
    package let text: String
    private let digits: [UInt8]

    /// - Returns: nil if the text is no table, or a weak one.
    package init?(_ text: String) {
        let digits = Array(text.utf8)
        guard digits.count == Self.count, digits.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
        let occurrences = Dictionary(grouping: digits) { $0 }.mapValues(\.count)
        guard occurrences.count >= Self.distinctDigitMinimum,
            occurrences.values.allSatisfy({ $0 <= Self.occurrenceLimit })
        else { return nil }
        self.text = text
        self.digits = digits.map { $0 - 0x30 }
    }

    func digit(_ hexDigit: UInt8) -> UInt8 { digits[Int(hexDigit)] }
}

/// Which digits of a PAN are encrypted, and what fills them up to sixteen.
package struct ValidationData: Sendable, Equatable {
    private static let blockDigitCount = 16
    package static let rule =
        "must be START:COUNT:PAD, such as 1:16:F: the first digit of the PAN (from 1), the number of "
        + "digits (4 to 16), and the hex digit that fills them up to 16"

    /// The place of the first digit, from 1.
    package let start: Int
    package let count: Int
    /// A hex digit.
    package let pad: UInt8

    /// Reads `START:COUNT:PAD`.
    ///
    /// - Returns: nil if it is something else, or not written in the shortest way.
    package init?(_ text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 3, let start = Int(parts[0]), let count = Int(parts[1]), parts[2].utf8.count == 1,
            let pad = UInt8(parts[2], radix: 16), 1...19 ~= start, 4...Self.blockDigitCount ~= count
        else { return nil }
        (self.start, self.count, self.pad) = (start, count, pad)
        guard self.text == text else { return nil }
    }

    package var text: String { "\(start):\(count):\(String(pad, radix: 16, uppercase: true))" }

    /// The digits of the PAN, from 0.
    package var range: Range<Int> { start - 1..<end }

    /// How many digits a PAN must have at least.
    var end: Int { start - 1 + count }

    func digits(of pan: borrowing SecretBytes) -> SecretBytes {
        SecretBytes(count: Self.blockDigitCount) { digits in
            for index in 0..<Self.blockDigitCount {
                digits[index] = index < count ? pan.digit(range.lowerBound + index) : pad
            }
        }
    }
}
