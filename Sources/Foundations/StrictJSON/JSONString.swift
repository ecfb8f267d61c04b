internal import SecureMemory

/// A string in a text that the scanner already checked. Decodes its escapes.
struct JSONString {
    private let bytes: UnsafeRawBufferPointer

    /// No PIN and no code is longer. A longer string is a whole text, such as a token: a stranger could fill the secure heap
    /// with such texts.
    private static let longestSecretByteCount = 256

    init(_ text: UnsafeRawBufferPointer, _ range: Range<Int>) {
        bytes = UnsafeRawBufferPointer(rebasing: text[range])
    }

    /// The content, if it is not secret.
    var text: String {
        String(unsafeUninitializedCapacity: bytes.count) { decode(into: UnsafeMutableRawBufferPointer($0)) }
    }

    /// The content as secret bytes, without a `String` in between.
    var secret: SecretBytes {
        SecretBytes(capacity: bytes.count, in: bytes.count > Self.longestSecretByteCount ? .ordinary : .secure) {
            decode(into: $0)
        }
    }

    /// An escape is never shorter than the decoded bytes, so the output fits in the length of the text.
    private func decode(into output: UnsafeMutableRawBufferPointer) -> Int {
        var (input, written) = (0, 0)
        func write(_ byte: UInt8) {
            output[written] = byte
            written += 1
        }
        while input < bytes.count {
            guard bytes[input] == UInt8(ascii: "\\") else {
                write(bytes[input])
                input += 1
                continue
            }
            if let byte = Self.unescaped(bytes[input + 1]) {
                write(byte)
                input += 2
            } else if let (scalar, length) = scalar(at: input) {
                UTF8.encode(scalar)?.forEach(write)
                input += length
            }
        }
        return written
    }

    private func scalar(at index: Int) -> (Unicode.Scalar, length: Int)? {
        guard let unit = Self.codeUnit(bytes, at: index) else { return nil }
        if let scalar = Unicode.Scalar(unit) { return (scalar, 6) }
        guard let trail = Self.codeUnit(bytes, at: index + 6) else { return nil }
        let value = 0x10000 + (UInt32(unit) - 0xD800) << 10 + (UInt32(trail) - 0xDC00)
        return Unicode.Scalar(value).map { ($0, 12) }
    }

    static func isDigit(_ byte: UInt8) -> Bool {
        UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
    }

    /// The byte that a backslash and this byte stand for; nil for `u` and for an invalid escape.
    static func unescaped(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): byte
        case UInt8(ascii: "b"): 0x08
        case UInt8(ascii: "f"): 0x0C
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "t"): 0x09
        default: nil
        }
    }

    /// The UTF-16 code unit of a `\uXXXX` at `index`; nil if there is none.
    static func codeUnit(_ bytes: UnsafeRawBufferPointer, at index: Int) -> UInt16? {
        guard index + 6 <= bytes.count, bytes[index] == UInt8(ascii: "\\"), bytes[index + 1] == UInt8(ascii: "u")
        else { return nil }
        var unit: UInt16 = 0
        for byte in bytes[index + 2..<index + 6] {
            guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue, byte < 0x80 else { return nil }
            unit = unit << 4 | UInt16(digit)
        }
        return unit
    }
}
