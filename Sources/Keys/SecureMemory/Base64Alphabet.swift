/// Writes and reads base64 with one of its two alphabets.
package struct Base64Alphabet: Sendable {
    /// Standard base64 (RFC 4648 section 4), padded.
    package static let standard = Base64Alphabet(lastTwo: "+/", isPadded: true)
    /// Base64url (RFC 4648 section 5), unpadded.
    package static let urlSafe = Base64Alphabet(lastTwo: "-_", isPadded: false)

    private let characters: [UInt8]
    private let values: [UInt8?]
    private let isPadded: Bool

    private init(lastTwo: String, isPadded: Bool) {
        let characters = Array(("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789" + lastTwo).utf8)
        var values = [UInt8?](repeating: nil, count: 256)
        for (value, character) in characters.enumerated() { values[Int(character)] = UInt8(value) }
        self.characters = characters
        self.values = values
        self.isPadded = isPadded
    }

    func textByteCount(of byteCount: Int) -> Int {
        isPadded ? (byteCount + 2) / 3 * 4 : (byteCount * 4 + 2) / 3
    }

    /// The text of bytes.
    package func encode(_ source: borrowing some ByteSource & ~Copyable) -> String {
        source.withBytes { bytes in
            String(unsafeUninitializedCapacity: textByteCount(of: bytes.count)) { text in
                encode(bytes, into: UnsafeMutableRawBufferPointer(text))
                return textByteCount(of: bytes.count)
            }
        }
    }

    /// Writes every byte of `text`, which has the text's length.
    func encode(_ bytes: UnsafeRawBufferPointer, into text: UnsafeMutableRawBufferPointer) {
        characters.withUnsafeBufferPointer { characters in
            var place = 0
            func append(_ group: UInt32, _ count: Int) {
                for shift in [18, 12, 6, 0].prefix(count) {
                    text[place] = characters[Int(group >> UInt32(shift)) & 0x3f]
                    place += 1
                }
            }
            let whole = bytes.count / 3 * 3
            // Three bytes are four characters. Delivered PINs are long, so this loop is worth its lines.
            for start in stride(from: 0, to: whole, by: 3) {
                let group = UInt32(bytes[start]) << 16 | UInt32(bytes[start + 1]) << 8 | UInt32(bytes[start + 2])
                text[place] = characters[Int(group >> 18)]
                text[place + 1] = characters[Int(group >> 12) & 0x3f]
                text[place + 2] = characters[Int(group >> 6) & 0x3f]
                text[place + 3] = characters[Int(group) & 0x3f]
                place += 4
            }
            switch bytes.count - whole {
            case 1: append(UInt32(bytes[whole]) << 16, 2)
            case 2: append(UInt32(bytes[whole]) << 16 | UInt32(bytes[whole + 1]) << 8, 3)
            default: break
            }
            for index in place..<textByteCount(of: bytes.count) { text[index] = UInt8(ascii: "=") }
        }
    }

    /// The bytes, or nil if ``encode(_:)`` writes another text for them.
    package func decode(_ text: String) -> [UInt8]? {
        var text = text
        return text.withUTF8 { text in
            guard let digits = digits(of: UnsafeRawBufferPointer(text)) else { return nil }
            var isStrict = false
            let bytes = [UInt8](unsafeUninitializedCapacity: Self.byteCount(of: digits)) { output, count in
                isStrict = decode(digits, into: UnsafeMutableRawBufferPointer(output))
                count = Self.byteCount(of: digits)
            }
            return isStrict ? bytes : nil
        }
    }

    /// The bytes of secret text. See ``decode(_:)``.
    package func decodeSecret(_ text: borrowing some ByteSource & ~Copyable) -> SecretBytes? {
        text.withBytes { text in
            guard let digits = digits(of: text) else { return nil }
            var isStrict = false
            let secret = SecretBytes(count: Self.byteCount(of: digits)) { isStrict = decode(digits, into: $0) }
            guard isStrict else { return nil }
            return secret
        }
    }

    private static func byteCount(of digits: UnsafeRawBufferPointer) -> Int { digits.count * 3 / 4 }

    /// The text without its padding, or nil if it has a length that no text has.
    private func digits(of text: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        var count = text.count
        if isPadded {
            guard count.isMultiple(of: 4) else { return nil }
            for _ in 0..<2 where count > 0 && text[count - 1] == UInt8(ascii: "=") { count -= 1 }
            guard textByteCount(of: count * 3 / 4) == text.count else { return nil }
        }
        return count % 4 != 1 ? UnsafeRawBufferPointer(rebasing: text[..<count]) : nil
    }

    /// Writes every byte of `output`.
    ///
    /// - Returns: false for other characters, and for bits at the end that are not zero.
    private func decode(_ digits: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> Bool {
        values.withUnsafeBufferPointer { values in
            var (pending, pendingBits, place): (UInt32, UInt32, Int) = (0, 0, 0)
            var isStrict = true
            for character in digits {
                let value = values[Int(character)]
                isStrict = isStrict && value != nil
                pending = pending << 6 | UInt32(value ?? 0)
                pendingBits += 6
                guard pendingBits >= 8 else { continue }
                pendingBits -= 8
                output[place] = UInt8(truncatingIfNeeded: pending >> pendingBits)
                place += 1
                pending &= (1 << pendingBits) - 1
            }
            return isStrict && pending == 0
        }
    }
}
