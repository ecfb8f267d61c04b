internal import Cryptography

/// The name of an issuer or subject (RFC 5280 section 4.1.2.4).
package struct DistinguishedName: Hashable, Sendable {
    private static let attributeCountLimit = 32

    /// The attributes in their order, in the form in which RFC 5280 section 7.1 compares names: without differences of white
    /// space, letter case and string type.
    package let normalized: String
    /// The first country: two or three letters in upper case; nil if there is none.
    package let country: String?

    init(_ element: TLVElement) throws(FormatError) {
        guard element.tag == .sequence else { throw FormatError("a name is not a sequence") }
        var (lines, country): ([String], String?) = ([], nil)
        var sets = try element.reader()
        for set in try sets.readAll(atMost: Self.attributeCountLimit) {
            var attributes = try set.reader()
            for attribute in try attributes.readAll(atMost: Self.attributeCountLimit) {
                var reader = try attribute.reader()
                let identifier = try reader.readObjectIdentifier()
                let value = Self.text(try reader.next())
                lines.append("\(identifier)=\(value)")
                if identifier == ObjectIdentifier("2.5.4.6"), country == nil { country = value.uppercased() }
            }
        }
        normalized = lines.joined(separator: "\n")
        self.country = country
    }

    /// Lower-case text with single spaces.
    private static func text(_ element: TLVElement) -> String {
        let bytes = element.content.bytes
        let text: String
        switch element.tag {
        case 0x1E:  // BMPString: two bytes per character
            let units = stride(from: 0, to: bytes.count - 1, by: 2).map {
                UInt16(bigEndianBytes: bytes[$0...$0 + 1])
            }
            text = String(decoding: units, as: UTF16.self)
        case 0x0C: text = String(decoding: bytes, as: UTF8.self)
        default: text = String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
        }
        return text.lowercased().split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    package static func == (one: DistinguishedName, other: DistinguishedName) -> Bool {
        one.normalized == other.normalized
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(normalized)
    }
}

/// The serial number of a certificate. Real ones can be zero or negative.
package struct SerialNumber: Hashable, Sendable {
    private static let byteCountLimit = 64

    /// Big-endian two's complement, shortest.
    package let bytes: [UInt8]

    init(_ element: TLVElement) throws(FormatError) {
        guard element.tag == .integer, 1...Self.byteCountLimit ~= element.content.count else {
            throw FormatError("a serial number is malformed")
        }
        var bytes = element.content.bytes[...]
        while bytes.count > 1, let first = bytes.first, first == (bytes[bytes.startIndex + 1] < 0x80 ? 0 : 0xFF) {
            bytes.removeFirst()
        }
        self.bytes = Array(bytes)
    }
}
