/// The values of a statement's `$1`, `$2`…, in this order, in the server's binary format.
///
/// Each value declares its type to the server (a `String` is `text`). If SQL needs another type, the statement must
/// cast: `$1::uuid`, `$2::jsonb`, `$3::my_enum`.
package struct PostgresParameters: Sendable {
    /// The protocol counts parameters in 16 bits.
    package static let maximumCount = 65_535

    /// Most statements have no more values, and no more bytes, so that these arrays do not grow.
    private static let usualCount = 16
    private static let usualByteCount = 512

    struct Value: Sendable {
        let type: PostgresType
        /// The value's position in `bytes`; nil means SQL's NULL.
        let range: Range<Int>?
    }

    private(set) var values: [Value] = []
    /// All values, one after the other. Never empty, so that the buffer always has an address.
    private(set) var bytes: [UInt8] = [0]

    package init() {}

    package var count: Int { values.count }

    /// The types are part of a prepared statement's key.
    var types: [PostgresType] { values.map(\.type) }

    /// Appends values, in the order of their numbers.
    package mutating func append<each Value: PostgresEncodable>(_ values: repeat each Value) {
        self.values.reserveCapacity(Self.usualCount)
        bytes.reserveCapacity(Self.usualByteCount)
        for value in repeat each values { value.append(to: &self) }
    }

    mutating func append(_ type: PostgresType, _ write: (inout [UInt8]) -> Void) {
        let start = bytes.count
        write(&bytes)
        values.append(Value(type: type, range: start..<bytes.count))
    }

    mutating func appendNull(_ type: PostgresType) {
        values.append(Value(type: type, range: nil))
    }
}
