internal import Cryptography
internal import SecureMemory

/// Keys in hex, as people type them and files have them.
enum HexText {
    /// The bytes of a text with white space at its ends; nil if it is not hex.
    static func trimmed(_ text: borrowing SecretBytes) -> SecretBytes? {
        text.withBytes { bytes -> SecretBytes? in
            guard let first = bytes.firstIndex(where: { !isBlank($0) }),
                let last = bytes.lastIndex(where: { !isBlank($0) })
            else { return nil }
            return Hex.decodeSecret(UnsafeRawBufferPointer(rebasing: bytes[first...last]))
        }
    }

    /// The bytes of a text with white space also between the digits, as components are printed; nil if it is not hex.
    static func grouped(_ text: borrowing SecretBytes) -> SecretBytes? {
        var digits = SecretBuffer(capacity: text.count)
        text.withBytes { bytes in
            for byte in bytes where !isBlank(byte) { digits.append(byte: byte) }
        }
        let joined = digits.finish()
        return joined.count == 0 ? nil : Hex.decodeSecret(joined)
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || 0x09...0x0D ~= byte }
}
