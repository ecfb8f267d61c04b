internal import SecureMemory

/// Recognizes card numbers, which must not be stored here (PCI DSS; protocol, section 3).
enum PrimaryAccountNumber {
    private static let lengths = 13...19
    /// The first digits of payment cards' numbers.
    private static let firstDigits: ClosedRange<UInt8> = UInt8(ascii: "2")...UInt8(ascii: "6")
    private static let separators: [UInt8] = Array(" -.".utf8)

    /// Whether a text contains a card number: a whole run of 13 to 19 digits that begins with 2 to 6 and passes the Luhn
    /// check (ISO/IEC 7812-1 annex B). Single blanks, dots or hyphens can be between the digits.
    static func isContained(in text: borrowing some ByteSource & ~Copyable) -> Bool {
        text.withBytes { bytes in
            // Most texts have too few digits, and this is the cheapest way to find that.
            guard bytes.count(where: isDigit) >= lengths.lowerBound else { return false }
            return hasNumber(in: bytes) || hasNumber(in: withoutSeparators(bytes))
        }
    }

    /// Whether a text is digits, and the last one is the check digit of the others.
    static func isWhole(_ text: borrowing SecretBytes) -> Bool {
        text.withBytes { $0.allSatisfy(isDigit) && passesLuhn($0[...]) }
    }

    private static func hasNumber(in text: borrowing some ByteSource & ~Copyable) -> Bool {
        text.withBytes { bytes in
            bytes.split { !isDigit($0) }.contains { run in
                lengths ~= run.count && run.first.map(firstDigits.contains) == true && passesLuhn(run)
            }
        }
    }

    /// The text without each separator that stands alone between two digits.
    private static func withoutSeparators(_ bytes: UnsafeRawBufferPointer) -> SecretBytes {
        var text = SecretBuffer(capacity: bytes.count)
        for (index, byte) in bytes.enumerated() {
            let isBetweenDigits =
                separators.contains(byte) && index > 0 && index + 1 < bytes.count
                && isDigit(bytes[index - 1]) && isDigit(bytes[index + 1])
            if !isBetweenDigits { text.append(byte: byte) }
        }
        return text.finish()
    }

    private static func isDigit(_ byte: UInt8) -> Bool { 0x30...0x39 ~= byte }

    private static func passesLuhn(_ digits: Slice<UnsafeRawBufferPointer>) -> Bool {
        let sum = digits.reversed().enumerated().reduce(0) { sum, digit in
            let value = Int(digit.element - 0x30) * (digit.offset.isMultiple(of: 2) ? 1 : 2)
            return sum + value / 10 + value % 10
        }
        return sum.isMultiple(of: 10)
    }
}
