package import SecureMemory

/// Hexadecimal text (RFC 4648 section 8): written in lower case, read in either case.
package enum Hex {
    /// Two lower-case digits per byte.
    package static func encode(_ source: borrowing some ByteSource & ~Copyable) -> String {
        source.withBytes { bytes in
            String(unsafeUninitializedCapacity: bytes.count * 2) { text in
                for (index, byte) in bytes.enumerated() {
                    text[index * 2] = digits[Int(byte >> 4)]
                    text[index * 2 + 1] = digits[Int(byte & 0x0f)]
                }
                return bytes.count * 2
            }
        }
    }

    /// The bytes, or nil if the text is not an even number of hexadecimal digits.
    package static func decode(_ text: String) -> [UInt8]? {
        let ascii = Array(text.utf8)
        guard ascii.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(ascii.count / 2)
        for index in stride(from: 0, to: ascii.count, by: 2) {
            guard let byte = byte(ascii[index], ascii[index + 1]) else { return nil }
            bytes.append(byte)
        }
        return bytes
    }

    /// The bytes of secret text, or nil if it is not an even number of hexadecimal digits.
    package static func decodeSecret(_ ascii: borrowing some ByteSource & ~Copyable) -> SecretBytes? {
        ascii.withBytes { text in
            guard text.count.isMultiple(of: 2) else { return nil }
            var isHex = true
            let secret = SecretBytes(count: text.count / 2) { output in
                for index in output.indices {
                    let byte = byte(text[index * 2], text[index * 2 + 1])
                    isHex = isHex && byte != nil
                    output[index] = byte ?? 0
                }
            }
            guard isHex else { return nil }
            return secret
        }
    }

    private static let digits = Array("0123456789abcdef".utf8)

    private static func byte(_ high: UInt8, _ low: UInt8) -> UInt8? {
        guard let high = value(high), let low = value(low) else { return nil }
        return high << 4 | low
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
