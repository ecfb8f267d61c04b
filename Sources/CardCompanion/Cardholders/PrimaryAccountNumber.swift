internal import SecureMemory

/// Recognizes card numbers, which must not be stored here (PCI DSS).
enum PrimaryAccountNumber {
    private static let lengths = 13...19

    /// Whether a text contains a run of 13 to 19 digits that passes the Luhn check (ISO/IEC 7812-1 annex B).
    static func isContained(in text: borrowing some ByteSource & ~Copyable) -> Bool {
        text.withBytes { bytes in
            bytes.split { !(0x30...0x39 ~= $0) }.contains { lengths ~= $0.count && passesLuhn($0) }
        }
    }

    /// The same for text that people read: a space, a hyphen or a dot between two digits is ignored.
    static func isContained(inProse text: borrowing some ByteSource & ~Copyable) -> Bool {
        text.withBytes { bytes in
            var digits = SecretBuffer(capacity: bytes.count)
            for (index, byte) in bytes.enumerated() {
                let isBetweenDigits =
                    separators.contains(byte) && index > 0 && index + 1 < bytes.count
                    && isDigit(bytes[index - 1]) && isDigit(bytes[index + 1])
                if !isBetweenDigits { digits.append(byte: byte) }
            }
            return isContained(in: digits.finish())
        }
    }

    private static let separators: [UInt8] = Array(" -.".utf8)

    private static func isDigit(_ byte: UInt8) -> Bool { 0x30...0x39 ~= byte }

    private static func passesLuhn(_ digits: Slice<UnsafeRawBufferPointer>) -> Bool {
        let sum = digits.reversed().enumerated().reduce(0) { sum, digit in
            let value = Int(digit.element - 0x30) * (digit.offset.isMultiple(of: 2) ? 1 : 2)
            return sum + value / 10 + value % 10
        }
        return sum.isMultiple(of: 10)
    }
}
