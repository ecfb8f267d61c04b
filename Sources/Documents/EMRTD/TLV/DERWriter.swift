/// Writes DER (X.690 section 10).
package enum DERWriter {
    package static func element(_ tag: TLVTag, _ content: [UInt8]) -> [UInt8] {
        tag.bytes + length(content.count) + content
    }

    package static func element(_ tag: TLVTag, _ parts: [[UInt8]]) -> [UInt8] {
        element(tag, Array(parts.joined()))
    }

    package static func sequence(_ parts: [UInt8]...) -> [UInt8] { element(.sequence, parts) }

    /// A SET OF, whose elements DER sorts (X.690 section 11.6).
    package static func set(_ elements: [[UInt8]]) -> [UInt8] {
        element(.set, elements.sorted { $0.lexicographicallyPrecedes($1) })
    }

    /// A non-negative number, given in big-endian.
    package static func integer(_ number: [UInt8]) -> [UInt8] {
        let digits = Array(number.drop { $0 == 0 })
        let isPositive = digits.first.map { $0 < 0x80 } ?? false
        return element(.integer, isPositive ? digits : [0] + digits)
    }

    package static func integer(_ number: Int) -> [UInt8] {
        integer(withUnsafeBytes(of: UInt64(number).bigEndian) { Array($0) })
    }

    package static func objectIdentifier(_ identifier: ObjectIdentifier) -> [UInt8] {
        element(.objectIdentifier, identifier.encoded)
    }

    package static func octetString(_ bytes: [UInt8]) -> [UInt8] { element(.octetString, bytes) }

    /// A bit string of whole bytes.
    package static func bitString(_ bytes: [UInt8]) -> [UInt8] { element(.bitString, [0] + bytes) }

    package static func length(_ count: Int) -> [UInt8] {
        guard count >= 0x80 else { return [UInt8(count)] }
        let bytes = withUnsafeBytes(of: UInt32(count).bigEndian) { Array($0.drop { $0 == 0 }) }
        return [0x80 | UInt8(bytes.count)] + bytes
    }
}
