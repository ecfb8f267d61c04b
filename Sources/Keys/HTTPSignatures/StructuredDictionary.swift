internal import Cryptography
internal import HTTPTypes
internal import RawStructuredFieldValues

/// A dictionary field (RFC 9651 section 3.2) without duplicate keys and parameters.
struct StructuredDictionary {
    /// The greatest size of a field (its lines joined).
    static let byteCountLimit = 16_384

    let members: OrderedMap<String, ItemOrInnerList>

    init(_ text: String, field: HTTPField.Name) throws(SignatureError) {
        guard text.utf8.count <= Self.byteCountLimit else {
            throw SignatureError(.limitExceeded("bytes in the \(field.rawName) field", limit: Self.byteCountLimit))
        }
        var parser = StructuredFieldValueParser(FieldBytes(text))
        guard let members = try? parser.parseDictionaryFieldValue(), !members.isEmpty else {
            throw SignatureError.malformed(field, "it must be a structured-field dictionary (RFC 9651)")
        }
        guard Self.separatorCounts(in: text) == Self.separatorCounts(of: members) else {
            throw SignatureError.malformed(field, "a label or a parameter occurs twice")
        }
        self.members = members
    }

    private struct SeparatorCounts: Equatable {
        var commas = 0
        var semicolons = 0
    }

    /// If a name occurs twice, the parser keeps the last value, as the standard requires. Another reader could keep the
    /// first, and check another value. Duplicates are found because the text has more separators than the parsed
    /// members.
    private static func separatorCounts(in text: String) -> SeparatorCounts {
        var counts = SeparatorCounts()
        var isQuoted = false
        var isEscaped = false
        for byte in text.utf8 {
            switch byte {
            case _ where isEscaped: isEscaped = false
            case UInt8(ascii: "\\"): isEscaped = isQuoted
            case UInt8(ascii: "\""): isQuoted.toggle()
            case UInt8(ascii: ","): counts.commas += isQuoted ? 0 : 1
            case UInt8(ascii: ";"): counts.semicolons += isQuoted ? 0 : 1
            default: break
            }
        }
        return counts
    }

    private static func separatorCounts(of members: OrderedMap<String, ItemOrInnerList>) -> SeparatorCounts {
        let parameterCounts = members.map { _, member in
            switch member {
            case .item(let item): item.rfc9651Parameters.count
            case .innerList(let list):
                list.bareInnerList.reduce(list.rfc9651Parameters.count) { $0 + $1.rfc9651Parameters.count }
            }
        }
        return SeparatorCounts(commas: members.count - 1, semicolons: parameterCounts.reduce(0, +))
    }
}

extension ItemOrInnerList {
    /// The bytes of a byte sequence without parameters, in canonical base64; nil for anything else.
    var byteSequence: [UInt8]? {
        guard case .item(let item) = self, case .undecodedByteSequence(let text) = item.rfc9651BareItem,
            item.rfc9651Parameters.isEmpty
        else { return nil }
        return Base64.decode(text)
    }
}

/// The bytes of a field, for the parser. It reads them one by one, and of an array's slice each one costs it two allocations.
private struct FieldBytes: RandomAccessCollection {
    private let bytes: [UInt8]
    let startIndex: Int
    let endIndex: Int

    init(_ text: String) {
        bytes = Array(text.utf8)
        (startIndex, endIndex) = (0, bytes.count)
    }

    private init(_ bytes: [UInt8], _ range: Range<Int>) {
        self.bytes = bytes
        (startIndex, endIndex) = (range.lowerBound, range.upperBound)
    }

    subscript(position: Int) -> UInt8 { bytes[position] }

    subscript(range: Range<Int>) -> FieldBytes { FieldBytes(bytes, range) }
}
