internal import Cryptography

/// An object identifier (X.660): the content of its encoding.
package struct ObjectIdentifier: Hashable, Sendable, CustomStringConvertible {
    private static let byteCountLimit = 64

    package let encoded: [UInt8]

    /// From text such as `2.23.136.1.1.1`, which must be right.
    package init(_ text: StaticString) {
        let arcs = text.description.split(separator: ".").map { UInt64($0) ?? 0 }
        precondition(arcs.count >= 2, "an object identifier has at least two numbers")
        encoded = ([arcs[0] * 40 + arcs[1]] + arcs[2...]).flatMap(Self.encode)
    }

    init(_ element: TLVElement) throws(FormatError) {
        guard element.tag == .objectIdentifier, 1...Self.byteCountLimit ~= element.content.count,
            element.content[element.content.count - 1] & 0x80 == 0
        else { throw FormatError("an object identifier is malformed") }
        encoded = element.content.bytes
    }

    private init(encoded: [UInt8]) {
        self.encoded = encoded
    }

    /// The identifier with one more number, below 128.
    func appending(_ arc: UInt8) -> ObjectIdentifier {
        ObjectIdentifier(encoded: encoded + [arc])
    }

    /// The last number if everything before is `parent`, and it is below 128.
    func last(under parent: ObjectIdentifier) -> UInt8? {
        encoded.count == parent.encoded.count + 1 && encoded.starts(with: parent.encoded) ? encoded.last : nil
    }

    package var description: String {
        var (arcs, arc): ([UInt64], UInt64) = ([], 0)
        for byte in encoded {
            arc = arc << 7 | UInt64(byte & 0x7F)
            if byte & 0x80 == 0 {
                arcs.append(arc)
                arc = 0
            }
        }
        guard let first = arcs.first else { return "" }
        let root = min(first / 40, 2)
        return ([root, first - root * 40] + arcs.dropFirst()).map(String.init).joined(separator: ".")
    }

    private static func encode(_ arc: UInt64) -> [UInt8] {
        var bytes = [UInt8(arc & 0x7F)]
        var rest = arc >> 7
        while rest > 0 {
            bytes.insert(UInt8(rest & 0x7F) | 0x80, at: 0)
            rest >>= 7
        }
        return bytes
    }
}

extension TLVReader {
    mutating func readObjectIdentifier() throws(FormatError) -> ObjectIdentifier {
        try ObjectIdentifier(next())
    }

    /// A small non-negative number.
    mutating func readSmallInteger() throws(FormatError) -> Int {
        let content = try read(.integer).content
        guard 1...3 ~= content.count, content[0] < 0x80 else { throw FormatError("a number is too large or negative") }
        return Int(bigEndianBytes: content.bytes)
    }

    /// A non-negative number, big-endian, without leading zeros.
    mutating func readUnsignedInteger() throws(FormatError) -> [UInt8] {
        let content = try read(.integer).content
        guard let first = content.first, first < 0x80 else { throw FormatError("a number is empty or negative") }
        return content.bytes.withoutLeadingZeros()
    }

    /// A bit string of whole bytes.
    mutating func readBitString() throws(FormatError) -> Octets {
        let content = try read(.bitString).content
        guard content.first == 0 else { throw FormatError("a bit string is not made of whole bytes") }
        return content.dropFirst()
    }
}
