/// The elements of DER (X.690) that public keys and signatures consist of, at most 65535 bytes each.
enum DER {
    enum Tag: UInt8 {
        case integer = 0x02
        case bitString = 0x03
        case sequence = 0x30
    }

    static func write(_ tag: Tag, _ content: [UInt8]) -> [UInt8] {
        let count = content.count
        let length: [UInt8] =
            switch count {
            case ..<0x80: [UInt8(count)]
            case ..<0x100: [0x81, UInt8(count)]
            default: [0x82, UInt8(truncatingIfNeeded: count >> 8), UInt8(truncatingIfNeeded: count)]
            }
        return [tag.rawValue] + length + content
    }

    /// Writes a non-negative number, given in big-endian.
    static func integer(_ number: some Sequence<UInt8>) -> [UInt8] {
        let digits = Array(number.drop { $0 == 0 })
        // If the first bit were set, the number would be negative.
        let isPositive = digits.first.map { $0 < 0x80 } ?? false
        return write(.integer, isPositive ? digits : [0] + digits)
    }

    /// Removes one element from the front and returns its content. Accepts each length encoding that ``write(_:_:)``
    /// uses. Nil if the element has another tag or is cut off.
    static func read(_ tag: Tag, from rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard rest.popFirst() == tag.rawValue, let first = rest.popFirst() else { return nil }
        let lengthByteCount = first < 0x80 ? 0 : Int(first) - 0x80
        guard lengthByteCount <= 2, rest.count >= lengthByteCount else { return nil }
        let length = rest.prefix(lengthByteCount)
        rest.removeFirst(lengthByteCount)
        let count = first < 0x80 ? Int(first) : length.reduce(0) { $0 << 8 | Int($1) }
        guard count <= rest.count else { return nil }
        defer { rest.removeFirst(count) }
        return rest.prefix(count)
    }

    /// Removes a number from the front and returns it: big-endian, no leading zero.
    static func readInteger(from rest: inout ArraySlice<UInt8>) -> [UInt8]? {
        read(.integer, from: &rest).map { Array($0.drop { $0 == 0 }) }
    }
}
