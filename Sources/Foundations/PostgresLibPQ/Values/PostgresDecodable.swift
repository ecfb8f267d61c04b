/// A type that a column can be decoded into.
package protocol PostgresDecodable: PostgresRowDecodable {
    /// Reads the column.
    ///
    /// - Throws: ``PostgresError/Code/decoding`` if the column's type does not fit or the column is null.
    static func decode(_ field: PostgresField) throws(PostgresError) -> Self
}

extension Optional: PostgresRowDecodable where Wrapped: PostgresDecodable {}

extension Optional: PostgresDecodable where Wrapped: PostgresDecodable {
    /// Nil for SQL's NULL.
    package static func decode(_ field: PostgresField) throws(PostgresError) -> Wrapped? {
        field.isNull ? nil : try Wrapped.decode(field)
    }
}

extension PostgresDecodable where Self: RawRepresentable, RawValue: PostgresDecodable {
    /// Reads the raw value. It must be a raw value of this type.
    package static func decode(_ field: PostgresField) throws(PostgresError) -> Self {
        let raw = try RawValue.decode(field)
        return try field.decode(as: Self.self) { _ in Self(rawValue: raw) }
    }
}

extension String: PostgresDecodable {
    /// Reads `text`, `varchar`, `char(n)`, `name`, `json`, `jsonb` and enums.
    package static func decode(_ field: PostgresField) throws(PostgresError) -> String {
        let type = field.type
        return try field.decode { bytes in
            if type == .jsonb { return String(jsonb: bytes) }
            return type.isTextual ? String(validating: bytes, as: UTF8.self) : nil
        }
    }

    // The binary form of jsonb starts with a version, which has always been 1.
    private init?(jsonb bytes: UnsafeRawBufferPointer) {
        guard bytes.first == 1 else { return nil }
        self.init(validating: bytes.dropFirst(), as: UTF8.self)
    }
}

extension Int16: PostgresDecodable {
    /// Reads `int2`.
    package static func decode(_ field: PostgresField) throws(PostgresError) -> Int16 {
        try field.decodeInteger()
    }
}

extension Int32: PostgresDecodable {
    /// Reads `int4` and `int2`.
    package static func decode(_ field: PostgresField) throws(PostgresError) -> Int32 {
        try field.decodeInteger()
    }
}

extension Int64: PostgresDecodable {
    /// Reads `int8`, `int4` and `int2`.
    package static func decode(_ field: PostgresField) throws(PostgresError) -> Int64 {
        try field.decodeInteger()
    }
}

extension Int: PostgresDecodable {
    /// Reads `int8`, `int4` and `int2`.
    package static func decode(_ field: PostgresField) throws(PostgresError) -> Int {
        try field.decodeInteger()
    }
}

extension Bool: PostgresDecodable {
    package static func decode(_ field: PostgresField) throws(PostgresError) -> Bool {
        let type = field.type
        return try field.decode { type == .bool && $0.count == 1 ? $0[0] != 0 : nil }
    }
}

extension Double: PostgresDecodable {
    /// Reads `float8` and `float4`.
    package static func decode(_ field: PostgresField) throws(PostgresError) -> Double {
        let type = field.type
        return try field.decode { bytes in
            switch type {
            case .float8: UInt64(bigEndian: bytes).map { Double(bitPattern: $0) }
            case .float4: UInt32(bigEndian: bytes).map { Double(Float(bitPattern: $0)) }
            default: nil
            }
        }
    }
}

extension PostgresTimestamp: PostgresDecodable {
    /// Reads `timestamptz`. Throws for `infinity` and `-infinity`.
    package static func decode(_ field: PostgresField) throws(PostgresError) -> PostgresTimestamp {
        let type = field.type
        return try field.decode { bytes in
            type == .timestamptz ? Int64(bigEndian: bytes).flatMap { PostgresTimestamp(wireValue: $0) } : nil
        }
    }
}

extension Array: PostgresRowDecodable where Element: PostgresArrayElement {}

extension Array: PostgresDecodable where Element: PostgresArrayElement {
    /// Reads `bytea` into `[UInt8]`, and a one-dimensional array without nulls into an array of any other element type.
    package static func decode(_ field: PostgresField) throws(PostgresError) -> [Element] {
        try Element.decodeArray(field)
    }
}

/// A type that the elements of an array can be decoded into.
package protocol PostgresArrayElement {
    static func decodeArray(_ field: PostgresField) throws(PostgresError) -> [Self]
}

extension UInt8: PostgresArrayElement {
    /// Reads `bytea`.
    package static func decodeArray(_ field: PostgresField) throws(PostgresError) -> [UInt8] {
        let type = field.type
        return try field.decode { type == .bytea ? Array($0) : nil }
    }
}

extension String: PostgresArrayElement {
    /// Reads `text[]`, `varchar[]`, and arrays of enums.
    package static func decodeArray(_ field: PostgresField) throws(PostgresError) -> [String] {
        try field.decodeArray { type, bytes in
            type.isTextual ? String(validating: bytes, as: UTF8.self) : nil
        }
    }
}

extension [UInt8]: PostgresArrayElement {
    /// Reads `bytea[]`.
    package static func decodeArray(_ field: PostgresField) throws(PostgresError) -> [[UInt8]] {
        try field.decodeArray { type, bytes in type == .bytea ? Array(bytes) : nil }
    }
}

extension Int32: PostgresArrayElement {
    /// Reads `int4[]`.
    package static func decodeArray(_ field: PostgresField) throws(PostgresError) -> [Int32] {
        try field.decodeArray { type, bytes in type == .int4 ? Int32(bigEndian: bytes) : nil }
    }
}

extension Int64: PostgresArrayElement {
    /// Reads `int8[]`.
    package static func decodeArray(_ field: PostgresField) throws(PostgresError) -> [Int64] {
        try field.decodeArray { type, bytes in type == .int8 ? Int64(bigEndian: bytes) : nil }
    }
}

extension PostgresField {
    fileprivate func decodeInteger<Integer: FixedWidthInteger>() throws(PostgresError) -> Integer {
        let type = type
        return try decode { bytes in
            switch type {
            case .int2: Int16(bigEndian: bytes).flatMap { Integer(exactly: $0) }
            case .int4 where Integer.bitWidth >= 32: Int32(bigEndian: bytes).flatMap { Integer(exactly: $0) }
            case .int8 where Integer.bitWidth >= 64: Int64(bigEndian: bytes).flatMap { Integer(exactly: $0) }
            default: nil
            }
        }
    }

    fileprivate func decodeArray<Element>(
        _ element: (PostgresType, UnsafeRawBufferPointer) -> Element?
    ) throws(PostgresError) -> [Element] {
        try decode(as: [Element].self) { bytes in
            var reader = ArrayReader(bytes)
            return reader.read(element)
        }
    }
}

/// Reads an array's binary form (array_send in PostgreSQL's arrayfuncs.c).
private struct ArrayReader {
    private var rest: UnsafeRawBufferPointer

    init(_ bytes: UnsafeRawBufferPointer) {
        rest = bytes
    }

    mutating func read<Element>(_ element: (PostgresType, UnsafeRawBufferPointer) -> Element?) -> [Element]? {
        guard let dimensions = readInteger(), readInteger() == 0, let type = readInteger() else { return nil }
        if dimensions == 0 { return rest.isEmpty ? [] : nil }
        // Each element takes at least four bytes. A larger count cannot be valid.
        guard dimensions == 1, let count = readInteger(), readInteger() != nil, 0...rest.count / 4 ~= Int(count)
        else { return nil }
        var elements: [Element] = []
        elements.reserveCapacity(Int(count))
        for _ in 0..<count {
            guard let length = readInteger(), let bytes = take(Int(length)) else { return nil }
            guard let value = element(PostgresType(rawValue: UInt32(bitPattern: type)), bytes) else { return nil }
            elements.append(value)
        }
        return rest.isEmpty ? elements : nil
    }

    private mutating func readInteger() -> Int32? {
        take(4).flatMap { Int32(bigEndian: $0) }
    }

    private mutating func take(_ count: Int) -> UnsafeRawBufferPointer? {
        guard 0...rest.count ~= count else { return nil }
        defer { rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count)) }
        return UnsafeRawBufferPointer(rebasing: rest.prefix(count))
    }
}

extension FixedWidthInteger {
    /// Nil if the number of bytes is not the size of the integer.
    fileprivate init?(bigEndian bytes: UnsafeRawBufferPointer) {
        guard bytes.count == Self.bitWidth / 8 else { return nil }
        self.init(bigEndian: bytes.loadUnaligned(as: Self.self))
    }
}
