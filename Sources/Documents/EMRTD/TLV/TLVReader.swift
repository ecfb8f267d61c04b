internal import Cryptography

/// An element of BER: a tag, a length and a content (X.690).
package struct TLVElement: Sendable {
    package let tag: TLVTag
    /// Without the two zero bytes that end an indefinite length.
    package let content: Octets
    /// The whole element as it was read.
    package let encoded: Octets

    let depth: Int
    let lengths: TLVReader.Lengths

    /// Reads the elements in the content.
    func reader() throws(FormatError) -> TLVReader {
        try TLVReader(content, lengths, depth: depth + 1)
    }
}

/// Reads elements of BER from left to right. Lengths, depth and counts are bounded: hostile bytes cost no more than their
/// length.
package struct TLVReader: Sendable {
    /// Which lengths are allowed.
    enum Lengths: Sendable {
        /// Those that say how long the content is, with at most four bytes.
        case definite
        /// Also indefinite lengths, with a mark at the end. Only signed messages have them (New Zealand).
        case definiteOrIndefinite
    }

    static let depthLimit = 20
    /// How many elements one element can have, unless a smaller limit is given. Also how many can be in one of indefinite
    /// length, at all depths together.
    static let elementCountLimit = 4096

    private var rest: Octets
    private let lengths: Lengths
    private let depth: Int

    init(_ bytes: Octets, _ lengths: Lengths = .definite, depth: Int = 0) throws(FormatError) {
        guard depth <= Self.depthLimit else {
            throw FormatError("elements are nested more than \(Self.depthLimit) times")
        }
        rest = bytes
        self.lengths = lengths
        self.depth = depth
    }

    /// Reads one element with nothing after it.
    static func only(
        _ tag: TLVTag, in bytes: Octets, _ lengths: Lengths = .definite
    ) throws(FormatError) -> TLVElement {
        var reader = try TLVReader(bytes, lengths)
        let element = try reader.read(tag)
        try reader.finish()
        return element
    }

    var isAtEnd: Bool { rest.isEmpty }

    /// The tag of the next element; nil at the end or if it is cut off.
    var nextTag: TLVTag? { try? Self.tag(at: rest) }

    /// Reads an element with this tag.
    mutating func read(_ tag: TLVTag) throws(FormatError) -> TLVElement {
        let element = try next()
        guard element.tag == tag else { throw FormatError("there is tag \(element.tag) instead of \(tag)") }
        return element
    }

    /// Reads an element if it has this tag.
    mutating func readIf(_ tag: TLVTag) throws(FormatError) -> TLVElement? {
        nextTag == tag ? try next() : nil
    }

    /// Reads all elements that are left.
    mutating func readAll(atMost limit: Int = elementCountLimit) throws(FormatError) -> [TLVElement] {
        var elements: [TLVElement] = []
        while !isAtEnd {
            guard elements.count < limit else { throw FormatError("there are more than \(limit) elements") }
            try elements.append(next())
        }
        return elements
    }

    /// Throws if there is something left.
    func finish() throws(FormatError) {
        guard isAtEnd else { throw FormatError("\(rest.count) bytes are left over") }
    }

    /// Reads an element with any tag.
    mutating func next() throws(FormatError) -> TLVElement {
        var budget = Self.elementCountLimit
        return try next(&budget)
    }

    /// - Parameter budget: how many elements may still be read to find the ends of indefinite lengths.
    private mutating func next(_ budget: inout Int) throws(FormatError) -> TLVElement {
        let tag = try Self.tag(at: rest)
        let (headerCount, contentCount) = try Self.length(at: rest, after: tag)
        let whole = rest
        guard let contentCount else {
            guard lengths == .definiteOrIndefinite, tag.isConstructed else {
                throw FormatError("tag \(tag) has an indefinite length")
            }
            let content = whole.dropFirst(headerCount)
            let count = try Self.countBeforeEnd(of: content, depth: depth + 1, &budget)
            rest = content.dropFirst(count + 2)
            return element(tag, content.prefix(count), whole.prefix(headerCount + count + 2))
        }
        guard contentCount <= whole.count - headerCount else {
            throw FormatError("the length of tag \(tag) goes beyond the data")
        }
        rest = whole.dropFirst(headerCount + contentCount)
        return element(
            tag, whole[headerCount..<headerCount + contentCount], whole.prefix(headerCount + contentCount))
    }

    private func element(_ tag: TLVTag, _ content: Octets, _ encoded: Octets) -> TLVElement {
        TLVElement(tag: tag, content: content, encoded: encoded, depth: depth, lengths: lengths)
    }

    /// How many bytes are before the end-of-contents octets (X.690 section 8.1.5) of an indefinite length.
    private static func countBeforeEnd(
        of content: Octets, depth: Int, _ budget: inout Int
    ) throws(FormatError) -> Int {
        var reader = try TLVReader(content, .definiteOrIndefinite, depth: depth)
        while true {
            guard reader.rest.count >= 2, budget > 0 else {
                throw FormatError(
                    "an indefinite length has no end, or there are more than \(elementCountLimit) elements in it")
            }
            if reader.rest[0] == 0, reader.rest[1] == 0 { return content.count - reader.rest.count }
            budget -= 1
            _ = try reader.next(&budget)
        }
    }
}

// MARK: Tag and length

extension TLVReader {
    /// How many bytes a header has, and how many its content; nil for an indefinite length.
    static func length(
        at bytes: Octets, after tag: TLVTag
    ) throws(FormatError) -> (headerCount: Int, contentCount: Int?) {
        let start = tag.bytes.count
        guard bytes.count > start else { throw FormatError("tag \(tag) has no length") }
        let first = bytes[start]
        guard first != 0x80 else { return (start + 1, nil) }
        guard first > 0x80 else { return (start + 1, Int(first)) }
        let byteCount = Int(first) - 0x80
        guard byteCount <= 4, bytes.count > start + byteCount else {
            throw FormatError("the length of tag \(tag) is too long or cut off")
        }
        let count = bytes[start + 1..<start + 1 + byteCount].withBytes { Int(bigEndianBytes: $0) }
        return (start + 1 + byteCount, count)
    }

    static func tag(at bytes: Octets) throws(FormatError) -> TLVTag {
        guard let first = bytes.first, first != 0 else { throw FormatError("a tag is missing") }
        guard first & 0x1F == 0x1F else { return TLVTag(bytes: [first]) }
        for count in 2...TLVTag.byteCountLimit where bytes.count >= count && bytes[count - 1] & 0x80 == 0 {
            // Each byte but the last must say that more follow.
            guard (1..<count - 1).allSatisfy({ bytes[$0] & 0x80 != 0 }) else { break }
            return TLVTag(bytes: (0..<count).map { bytes[$0] })
        }
        throw FormatError("a tag is cut off, or longer than \(TLVTag.byteCountLimit) bytes")
    }

    /// The tags of a tag list (Doc 9303-10 section 4.7), one after the other without lengths.
    static func tagList(_ bytes: Octets) throws(FormatError) -> [TLVTag] {
        var (rest, tags): (Octets, [TLVTag]) = (bytes, [])
        while !rest.isEmpty {
            let tag = try tag(at: rest)
            tags.append(tag)
            rest = rest.dropFirst(tag.bytes.count)
        }
        return tags
    }
}

extension TLVElement {
    /// Reads elements, one after the other, until the end.
    package static func all(in bytes: Octets) throws(FormatError) -> [TLVElement] {
        var reader = try TLVReader(bytes)
        return try reader.readAll()
    }
}
