internal import SecureMemory

/// Text about a person in UTF-8, in memory that is wiped. It has no description.
package struct PersonalText: Hashable, Sendable {
    /// The longest text, and the most parts, that a data group can have.
    static let byteCountLimit = 4096
    static let partCountLimit = 32

    package let utf8: Octets

    /// Takes bytes that are UTF-8 already.
    init(utf8: Octets) {
        self.utf8 = utf8
    }

    package static let empty = PersonalText(utf8: Octets(copying: [UInt8]()))

    package var isEmpty: Bool { utf8.isEmpty }

    /// Text of a data group. It should be UTF-8 (Doc 9303-10 section 4.7). Other text is read as ISO 8859-1. Fillers (`<`)
    /// and control characters become spaces, and spaces at the ends are removed.
    ///
    /// - Throws: `FormatError` if it is longer than ``byteCountLimit``.
    init(decoding bytes: Octets) throws(FormatError) {
        try Self.requireLength(of: bytes)
        let isUTF8 = bytes.forEachScalar { _ in }
        let text = bytes.withBytes { bytes in
            SecretBytes(capacity: bytes.count * 2, in: .ordinary) { output in
                var count = 0
                for byte in bytes {
                    let isSpace = byte == UInt8(ascii: "<") || byte < 0x20 || byte == 0x7F
                    if byte < 0x80 || isUTF8 {
                        output[count] = isSpace ? UInt8(ascii: " ") : byte
                        count += 1
                    } else {
                        output[count] = 0xC0 | byte >> 6
                        output[count + 1] = 0x80 | byte & 0x3F
                        count += 2
                    }
                }
                return count
            }
        }
        let whole = Octets(text).trimmingEnd(of: UInt8(ascii: " "))
        let spaces = whole.withBytes { $0.prefix { $0 == UInt8(ascii: " ") }.count }
        self.init(utf8: whole.dropFirst(spaces))
    }

    /// The texts between fillers: `ZENITH<UTOPIA` are two. Empty ones are left out.
    ///
    /// - Throws: `FormatError` if they are longer than ``byteCountLimit`` together, or more than ``partCountLimit``.
    static func list(decoding bytes: Octets) throws(FormatError) -> [PersonalText] {
        try requireLength(of: bytes)
        var texts: [PersonalText] = []
        for part in try bytes.split(by: UInt8(ascii: "<"), atMost: partCountLimit) {
            let text = try PersonalText(decoding: part)
            if !text.isEmpty { texts.append(text) }
        }
        return texts
    }

    private static func requireLength(of bytes: Octets) throws(FormatError) {
        guard bytes.count <= byteCountLimit else { throw FormatError("a text has more than \(byteCountLimit) bytes") }
    }
}

extension PersonalText: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { utf8.description }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension Octets {
    /// Calls `body` with the characters of UTF-8, without a copy in a `String`, which cannot be wiped.
    ///
    /// - Returns: whether all bytes were UTF-8. If not, `body` got the characters before the first wrong one.
    func forEachScalar<Failure: Error>(_ body: (Unicode.Scalar) throws(Failure) -> Void) throws(Failure) -> Bool {
        try withBytes { (bytes) throws(Failure) in
            var (decoder, iterator) = (UTF8(), bytes.makeIterator())
            while true {
                switch decoder.decode(&iterator) {
                case .scalarValue(let scalar): try body(scalar)
                case .emptyInput: return true
                case .error: return false
                }
            }
        }
    }

    /// The parts between the bytes that are equal to `separator`, without empty ones.
    func split(by separator: UInt8, atMost limit: Int) throws(FormatError) -> [Octets] {
        var (parts, rest): ([Octets], Octets) = ([], self)
        while !rest.isEmpty {
            let part = rest.prefix(rest.firstPlace(of: separator) ?? rest.count)
            rest = rest.dropFirst(part.count + 1)
            guard !part.isEmpty else { continue }
            guard parts.count < limit else { throw FormatError("a list has more than \(limit) parts") }
            parts.append(part)
        }
        return parts
    }

    /// The part before the first `<<` and the part after it; nil for the second if there is no `<<`.
    func splitAtDoubleFiller() -> (Octets, Octets?) {
        let place = withBytes { bytes in
            bytes.indices.dropLast().first { bytes[$0] == UInt8(ascii: "<") && bytes[$0 + 1] == UInt8(ascii: "<") }
        }
        return place.map { (prefix($0), dropFirst($0 + 2)) } ?? (self, nil)
    }
}

/// A person's name in two parts (Doc 9303-3 section 4.6).
package struct PersonalName: Hashable, Sendable {
    package let primary: PersonalText
    /// The given names, one by one.
    package let secondary: [PersonalText]

    /// Reads `PRIMARY<<SECONDARY<SECONDARY`.
    ///
    /// - Throws: `FormatError` as ``PersonalText`` does.
    init(decoding bytes: Octets) throws(FormatError) {
        let (primary, secondary) = bytes.splitAtDoubleFiller()
        self.primary = try PersonalText(decoding: primary)
        self.secondary = try secondary.map(PersonalText.list(decoding:)) ?? []
    }
}
