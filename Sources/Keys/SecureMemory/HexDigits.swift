/// Writes hexadecimal text (RFC 4648 section 8).
package enum HexDigits {
    /// Two lower-case digits per byte.
    package static func text(of source: borrowing some ByteSource & ~Copyable) -> String {
        source.withBytes { bytes in
            String(unsafeUninitializedCapacity: bytes.count * 2) { text in
                write(bytes, into: UnsafeMutableRawBufferPointer(text))
                return bytes.count * 2
            }
        }
    }

    static func write(_ bytes: UnsafeRawBufferPointer, into text: UnsafeMutableRawBufferPointer) {
        for (index, byte) in bytes.enumerated() {
            text[index * 2] = lowerCase[Int(byte >> 4)]
            text[index * 2 + 1] = lowerCase[Int(byte & 0x0f)]
        }
    }

    private static let lowerCase = Array("0123456789abcdef".utf8)
}
