internal import SecureMemory

/// Card numbers, which must not come here (PCI DSS): how to see one.
enum PrimaryAccountNumber {
    private static let lengths = 13...19

    /// Whether a text holds a run of 13 to 19 digits that passes the Luhn check (ISO/IEC 7812-1 annex B).
    static func isContained(in text: borrowing some ByteSource & ~Copyable) -> Bool {
        text.withBytes { bytes in
            bytes.split { !(0x30...0x39 ~= $0) }.contains { lengths ~= $0.count && passesLuhn($0) }
        }
    }

    private static func passesLuhn(_ digits: Slice<UnsafeRawBufferPointer>) -> Bool {
        let sum = digits.reversed().enumerated().reduce(0) { sum, digit in
            let value = Int(digit.element - 0x30) * (digit.offset.isMultiple(of: 2) ? 1 : 2)
            return sum + value / 10 + value % 10
        }
        return sum.isMultiple(of: 10)
    }
}
