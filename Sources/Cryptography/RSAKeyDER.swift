/// The DER SubjectPublicKeyInfo of an RSA key (RFC 3279 section 2.3.1), read and written without OpenSSL, whose general
/// decoders take several times as long as sealing to the key does:
/// SEQUENCE { SEQUENCE { rsaEncryption, NULL }, BIT STRING { SEQUENCE { modulus INTEGER, publicExponent INTEGER } } }
struct RSAKeyDER: Equatable {
    /// Big-endian, no leading zero.
    let modulus: [UInt8]
    /// Big-endian, no leading zero.
    let publicExponent: [UInt8]

    private static let sequence: UInt8 = 0x30
    private static let bitString: UInt8 = 0x03
    private static let integer: UInt8 = 0x02

    /// SEQUENCE { rsaEncryption, NULL }
    private static let algorithm: [UInt8] = [
        0x30, 0x0d, 0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01, 0x05, 0x00,
    ]

    init(modulus: [UInt8], publicExponent: [UInt8]) {
        self.modulus = modulus
        self.publicExponent = publicExponent
    }

    /// Reads the key, or nil where the bytes are not exactly what ``encoded`` would give for it.
    init?(_ der: [UInt8]) {
        var rest = der[...]
        guard var info = Self.read(Self.sequence, from: &rest), info.starts(with: Self.algorithm) else { return nil }
        info.removeFirst(Self.algorithm.count)
        guard var bits = Self.read(Self.bitString, from: &info), bits.popFirst() == 0,
            var key = Self.read(Self.sequence, from: &bits),
            let modulus = Self.read(Self.integer, from: &key), let exponent = Self.read(Self.integer, from: &key)
        else { return nil }
        self.init(
            modulus: Array(modulus.drop { $0 == 0 }), publicExponent: Array(exponent.drop { $0 == 0 }))
        guard encoded == der else { return nil }
    }

    var encoded: [UInt8] {
        let numbers =
            Self.write(Self.integer, Self.positive(modulus)) + Self.write(Self.integer, Self.positive(publicExponent))
        let key = Self.write(Self.bitString, [0] + Self.write(Self.sequence, numbers))
        return Self.write(Self.sequence, Self.algorithm + key)
    }

    /// An INTEGER whose first bit is set would be negative.
    private static func positive(_ number: [UInt8]) -> [UInt8] {
        number.first.map { $0 < 0x80 } ?? false ? number : [0] + number
    }

    private static func write(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        let count = content.count
        let length: [UInt8] =
            switch count {
            case ..<0x80: [UInt8(count)]
            case ..<0x100: [0x81, UInt8(count)]
            default: [0x82, UInt8(truncatingIfNeeded: count >> 8), UInt8(truncatingIfNeeded: count)]
            }
        return [tag] + length + content
    }

    /// Takes one element off the front; its length may have any of the forms that ``write(_:_:)`` uses.
    private static func read(_ tag: UInt8, from rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard rest.popFirst() == tag, let first = rest.popFirst() else { return nil }
        let lengthByteCount = first < 0x80 ? 0 : Int(first) - 0x80
        guard lengthByteCount <= 2, rest.count >= lengthByteCount else { return nil }
        let length = rest.prefix(lengthByteCount)
        rest.removeFirst(lengthByteCount)
        let count = first < 0x80 ? Int(first) : length.reduce(0) { $0 << 8 | Int($1) }
        guard count <= rest.count else { return nil }
        defer { rest.removeFirst(count) }
        return rest.prefix(count)
    }
}
