/// The values of a statement's `$1`, `$2`…, in this order, in the server's binary format.
///
/// Each value declares its type to the server (a `String` is `text`); where SQL needs another, the statement casts:
/// `$1::uuid`, `$2::jsonb`, `$3::my_enum`.
public struct PostgresParameters: Sendable {
    /// The protocol counts parameters in 16 bits.
    public static let maximumCount = 65_535

    struct Value: Sendable {
        let type: PostgresType
        /// Where in `bytes` the value stands; nil is SQL's null.
        let range: Range<Int>?
    }

    private(set) var values: [Value] = []
    /// All values, one after the other; never empty, so that it always has an address.
    private(set) var bytes: [UInt8] = [0]

    /// No parameters yet.
    public init() {}

    /// How many there are.
    public var count: Int { values.count }

    /// Their types, which are a part of what a statement is prepared for.
    var types: [PostgresType] { values.map(\.type) }

    /// Appends a `text`.
    public mutating func append(_ value: String) {
        append(.text) { $0.append(contentsOf: value.utf8) }
    }

    /// Appends a `text` or null.
    public mutating func append(_ value: String?) {
        if let value { append(value) } else { appendNull(.text) }
    }

    /// Appends a `bytea`.
    public mutating func append(_ value: [UInt8]) {
        append(.bytea) { $0.append(contentsOf: value) }
    }

    /// Appends a `bytea` or null.
    public mutating func append(_ value: [UInt8]?) {
        if let value { append(value) } else { appendNull(.bytea) }
    }

    /// Appends an `int2`.
    public mutating func append(_ value: Int16) {
        append(.int2) { $0.append(bigEndian: value) }
    }

    /// Appends an `int4`.
    public mutating func append(_ value: Int32) {
        append(.int4) { $0.append(bigEndian: value) }
    }

    /// Appends an `int4` or null.
    public mutating func append(_ value: Int32?) {
        if let value { append(value) } else { appendNull(.int4) }
    }

    /// Appends an `int8`.
    public mutating func append(_ value: Int64) {
        append(.int8) { $0.append(bigEndian: value) }
    }

    /// Appends an `int8` or null.
    public mutating func append(_ value: Int64?) {
        if let value { append(value) } else { appendNull(.int8) }
    }

    /// Appends an `int8`.
    public mutating func append(_ value: Int) {
        append(Int64(value))
    }

    /// Appends an `int8` or null.
    public mutating func append(_ value: Int?) {
        append(value.map { Int64($0) })
    }

    /// Appends a `bool`.
    public mutating func append(_ value: Bool) {
        append(.bool) { $0.append(value ? 1 : 0) }
    }

    /// Appends a `bool` or null.
    public mutating func append(_ value: Bool?) {
        if let value { append(value) } else { appendNull(.bool) }
    }

    /// Appends a `float8`.
    public mutating func append(_ value: Double) {
        append(.float8) { $0.append(bigEndian: value.bitPattern) }
    }

    /// Appends a `float8` or null.
    public mutating func append(_ value: Double?) {
        if let value { append(value) } else { appendNull(.float8) }
    }

    /// Appends a `timestamptz`.
    public mutating func append(_ value: PostgresTimestamp) {
        append(.timestamptz) { $0.append(bigEndian: value.wireValue) }
    }

    /// Appends a `timestamptz` or null.
    public mutating func append(_ value: PostgresTimestamp?) {
        if let value { append(value) } else { appendNull(.timestamptz) }
    }

    /// Appends a `timestamptz`.
    public mutating func append(timestamp value: PostgresTimestamp) {
        append(value)
    }

    /// Appends a `timestamptz` or null.
    public mutating func append(timestamp value: PostgresTimestamp?) {
        append(value)
    }

    /// Appends a `text[]`.
    public mutating func append(_ value: [String]) {
        append(.textArray) { $0.append(array: value, of: .text) { $0.append(contentsOf: $1.utf8) } }
    }

    /// Appends a `bytea[]`.
    public mutating func append(_ value: [[UInt8]]) {
        append(.byteaArray) { $0.append(array: value, of: .bytea) { $0.append(contentsOf: $1) } }
    }

    /// Appends an `int4[]`.
    public mutating func append(_ value: [Int32]) {
        append(.int4Array) { $0.append(array: value, of: .int4) { $0.append(bigEndian: $1) } }
    }

    /// Appends an `int8[]`.
    public mutating func append(_ value: [Int64]) {
        append(.int8Array) { $0.append(array: value, of: .int8) { $0.append(bigEndian: $1) } }
    }

    private mutating func append(_ type: PostgresType, _ write: (inout [UInt8]) -> Void) {
        let start = bytes.count
        write(&bytes)
        values.append(Value(type: type, range: start..<bytes.count))
    }

    private mutating func appendNull(_ type: PostgresType) {
        values.append(Value(type: type, range: nil))
    }
}

extension [UInt8] {
    fileprivate mutating func append(bigEndian value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
    }

    /// An array's binary form (array_recv in PostgreSQL's arrayfuncs.c): dimensions, whether there are nulls, the
    /// elements' type, then each dimension's length and first index, then each element after its length.
    fileprivate mutating func append<Item>(
        array: [Item], of type: PostgresType, _ write: (inout [UInt8], Item) -> Void
    ) {
        append(bigEndian: Int32(array.isEmpty ? 0 : 1))
        append(bigEndian: Int32(0))
        append(bigEndian: type.rawValue)
        guard !array.isEmpty else { return }
        append(bigEndian: Int32(array.count))
        append(bigEndian: Int32(1))
        for element in array { append(counted: element, write) }
    }

    private mutating func append<Item>(counted element: Item, _ write: (inout [UInt8], Item) -> Void) {
        let lengthAt = count
        append(bigEndian: Int32(0))
        write(&self, element)
        let length = Int32(count - lengthAt - 4).bigEndian
        Swift.withUnsafeBytes(of: length) { replaceSubrange(lengthAt..<lengthAt + 4, with: $0) }
    }
}
