package import SecureMemory

/// Hexadecimal text (RFC 4648 section 8): written in lower case, read in either case.
package enum Hex {
    /// Two lower-case digits per byte.
    package static func encode(_ source: borrowing some ByteSource & ~Copyable) -> String {
        HexDigits.text(of: source)
    }

    /// The bytes, or nil if the text is not an even number of hexadecimal digits.
    package static func decode(_ text: String) -> [UInt8]? {
        var text = text
        return text.withUTF8 { digits in
            var isHex = false
            let bytes = [UInt8](unsafeUninitializedCapacity: digits.count / 2) { output, count in
                isHex = decode(UnsafeRawBufferPointer(digits), into: UnsafeMutableRawBufferPointer(output))
                count = digits.count / 2
            }
            return isHex ? bytes : nil
        }
    }

    /// The bytes of secret text, or nil if it is not an even number of hexadecimal digits.
    package static func decodeSecret(_ ascii: borrowing some ByteSource & ~Copyable) -> SecretBytes? {
        ascii.withBytes { digits in
            var isHex = false
            let secret = SecretBytes(count: digits.count / 2) { isHex = decode(digits, into: $0) }
            guard isHex else { return nil }
            return secret
        }
    }

    /// Writes every byte of `output`.
    ///
    /// - Returns: false for other characters, and for one digit too many.
    private static func decode(_ digits: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> Bool {
        var isHex = digits.count.isMultiple(of: 2)
        for index in output.indices {
            let (high, low) = (value(digits[index * 2]), value(digits[index * 2 + 1]))
            isHex = isHex && high != nil && low != nil
            output[index] = (high ?? 0) << 4 | (low ?? 0)
        }
        return isHex
    }

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
