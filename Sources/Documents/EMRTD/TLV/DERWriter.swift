internal import Cryptography

/// Writes DER (X.690 section 10).
package enum DERWriter {
    package static func element(_ tag: TLVTag, _ content: [UInt8]) -> [UInt8] {
        DER.element(tag.bytes, content)
    }

    package static func element(_ tag: TLVTag, _ parts: [[UInt8]]) -> [UInt8] {
        element(tag, Array(parts.joined()))
    }

    package static func sequence(_ parts: [UInt8]...) -> [UInt8] { element(.sequence, parts) }

    /// A SET OF, whose elements DER sorts (X.690 section 11.6).
    package static func set(_ elements: [[UInt8]]) -> [UInt8] {
        element(.set, elements.sorted { $0.lexicographicallyPrecedes($1) })
    }

    package static func integer(_ number: Int) -> [UInt8] { DER.integer(UInt64(number).bigEndianBytes) }

    package static func objectIdentifier(_ identifier: ObjectIdentifier) -> [UInt8] {
        element(.objectIdentifier, identifier.encoded)
    }

    package static func octetString(_ bytes: [UInt8]) -> [UInt8] { element(.octetString, bytes) }

    /// A bit string of whole bytes.
    package static func bitString(_ bytes: [UInt8]) -> [UInt8] { element(.bitString, [0] + bytes) }
}
