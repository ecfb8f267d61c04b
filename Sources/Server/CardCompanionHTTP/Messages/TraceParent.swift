/// Which trace a request belongs to, as its client says (W3C Trace Context, section 3.2: the field `traceparent`).
struct TraceParent: Equatable {
    /// Version, trace, parent and flags, as the client has sent them. What a later version adds is left out.
    let text: String

    private static let lengths = [2, 32, 16, 2]
    private static let byteCount = lengths.reduce(lengths.count - 1, +)
    private static let hyphen = UInt8(ascii: "-")

    /// - Parameter field: the value of the field. Nil if it is not as the standard says: then it must be ignored.
    init?(_ field: String) {
        let bytes = Array(field.utf8.prefix(Self.byteCount + 1))
        guard bytes.count >= Self.byteCount else { return nil }
        let parts = bytes[..<Self.byteCount].split(separator: Self.hyphen, omittingEmptySubsequences: false)
        guard parts.map(\.count) == Self.lengths, parts.allSatisfy({ $0.allSatisfy(Self.isHexDigit) }) else {
            return nil
        }
        let (version, trace, parent) = (parts[0], parts[1], parts[2])
        guard !version.elementsEqual("ff".utf8), !Self.isZero(trace), !Self.isZero(parent) else { return nil }
        // Version 00 ends here. A later one can go on after a hyphen.
        let isWhole = bytes.count == Self.byteCount
        guard isWhole || (!Self.isZero(version) && bytes[Self.byteCount] == Self.hyphen) else { return nil }
        text = String(decoding: bytes[..<Self.byteCount], as: UTF8.self)
    }

    private static func isHexDigit(_ byte: UInt8) -> Bool {
        UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || UInt8(ascii: "a")...UInt8(ascii: "f") ~= byte
    }

    private static func isZero(_ digits: ArraySlice<UInt8>) -> Bool { digits.allSatisfy { $0 == UInt8(ascii: "0") } }
}
