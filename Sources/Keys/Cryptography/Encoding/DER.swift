/// Writes DER (X.690 section 10), and reads the elements that public keys and signatures consist of.
package enum DER {
    enum Tag: UInt8 {
        case integer = 0x02
        case bitString = 0x03
        case sequence = 0x30
    }

    static func write(_ tag: Tag, _ content: [UInt8]) -> [UInt8] { element([tag.rawValue], content) }

    /// An element with a tag of any length.
    package static func element(_ tag: [UInt8], _ content: [UInt8]) -> [UInt8] {
        var element: [UInt8] = []
        element.reserveCapacity(tag.count + longestLength + content.count)
        element += tag
        appendLength(content.count, to: &element)
        element += content
        return element
    }

    /// A length in its shortest form.
    package static func length(_ count: Int) -> [UInt8] {
        var length: [UInt8] = []
        appendLength(count, to: &length)
        return length
    }

    /// How many bytes a length of 32 bits needs.
    private static let longestLength = 5

    private static func appendLength(_ count: Int, to bytes: inout [UInt8]) {
        let digitCount = (UInt32.bitWidth - UInt32(count).leadingZeroBitCount + 7) / 8
        if count >= 0x80 { bytes.append(0x80 | UInt8(digitCount)) }
        for place in (0..<max(digitCount, 1)).reversed() {
            bytes.append(UInt8(truncatingIfNeeded: count >> (8 * place)))
        }
    }

    /// A non-negative number, given in big-endian.
    package static func integer(_ number: some Sequence<UInt8>) -> [UInt8] {
        let digits = number.withoutLeadingZeros()
        // If the first bit were set, the number would be negative.
        let isPositive = digits.first.map { $0 < 0x80 } ?? false
        return write(.integer, isPositive ? digits : [0] + digits)
    }

    /// Removes one element from the front and returns its content. Accepts each length encoding that ``write(_:_:)``
    /// uses, up to 65535 bytes. Nil if the element has another tag or is cut off.
    static func read(_ tag: Tag, from rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard rest.popFirst() == tag.rawValue, let first = rest.popFirst() else { return nil }
        let lengthByteCount = first < 0x80 ? 0 : Int(first) - 0x80
        guard lengthByteCount <= 2, rest.count >= lengthByteCount else { return nil }
        let length = rest.prefix(lengthByteCount)
        rest.removeFirst(lengthByteCount)
        let count = first < 0x80 ? Int(first) : Int(bigEndianBytes: length)
        guard count <= rest.count else { return nil }
        defer { rest.removeFirst(count) }
        return rest.prefix(count)
    }

    /// Removes a number from the front and returns it: big-endian, no leading zero.
    static func readInteger(from rest: inout ArraySlice<UInt8>) -> [UInt8]? {
        read(.integer, from: &rest)?.withoutLeadingZeros()
    }
}
