/// A type whose values can be parameters of a statement.
package protocol PostgresEncodable {
    func append(to parameters: inout PostgresParameters)

    /// Appends SQL's NULL, with the server type of this Swift type.
    static func appendNull(to parameters: inout PostgresParameters)
}

extension Optional: PostgresEncodable where Wrapped: PostgresEncodable {
    /// Appends SQL's NULL for nil.
    package func append(to parameters: inout PostgresParameters) {
        if let self { self.append(to: &parameters) } else { Wrapped.appendNull(to: &parameters) }
    }

    /// Uses the server type of the wrapped type.
    package static func appendNull(to parameters: inout PostgresParameters) {
        Wrapped.appendNull(to: &parameters)
    }
}

/// A single value, in contrast to an array.
protocol PostgresScalar: PostgresEncodable {
    static var type: PostgresType { get }
    func write(to bytes: inout [UInt8])
}

extension PostgresScalar {
    package func append(to parameters: inout PostgresParameters) {
        parameters.append(Self.type) { write(to: &$0) }
    }

    package static func appendNull(to parameters: inout PostgresParameters) {
        parameters.appendNull(type)
    }
}

/// A single value whose type also has an array type.
protocol PostgresArrayScalar: PostgresScalar, PostgresArrayEncodable {
    static var arrayType: PostgresType { get }
}

extension PostgresArrayScalar {
    package static func append(_ array: [Self], to parameters: inout PostgresParameters) {
        parameters.append(arrayType) { $0.append(array: array, of: type) { $1.write(to: &$0) } }
    }

    package static func appendNullArray(to parameters: inout PostgresParameters) {
        parameters.appendNull(arrayType)
    }
}

extension String: PostgresArrayScalar {
    static var type: PostgresType { .text }
    static var arrayType: PostgresType { .textArray }

    func write(to bytes: inout [UInt8]) { bytes.append(contentsOf: utf8) }
}

extension Int16: PostgresScalar {
    static var type: PostgresType { .int2 }

    func write(to bytes: inout [UInt8]) { bytes.append(bigEndian: self) }
}

extension Int32: PostgresArrayScalar {
    static var type: PostgresType { .int4 }
    static var arrayType: PostgresType { .int4Array }

    func write(to bytes: inout [UInt8]) { bytes.append(bigEndian: self) }
}

extension Int64: PostgresArrayScalar {
    static var type: PostgresType { .int8 }
    static var arrayType: PostgresType { .int8Array }

    func write(to bytes: inout [UInt8]) { bytes.append(bigEndian: self) }
}

extension Int: PostgresScalar {
    static var type: PostgresType { .int8 }

    func write(to bytes: inout [UInt8]) { bytes.append(bigEndian: Int64(self)) }
}

extension Bool: PostgresScalar {
    static var type: PostgresType { .bool }

    func write(to bytes: inout [UInt8]) { bytes.append(self ? 1 : 0) }
}

extension Double: PostgresScalar {
    static var type: PostgresType { .float8 }

    func write(to bytes: inout [UInt8]) { bytes.append(bigEndian: bitPattern) }
}

extension PostgresTimestamp: PostgresScalar {
    static var type: PostgresType { .timestamptz }

    func write(to bytes: inout [UInt8]) { bytes.append(bigEndian: wireValue) }
}

// MARK: - Arrays

/// A type whose arrays can be parameters of a statement.
package protocol PostgresArrayEncodable {
    static func append(_ array: [Self], to parameters: inout PostgresParameters)

    /// Appends SQL's NULL, with the server type of the array.
    static func appendNullArray(to parameters: inout PostgresParameters)
}

extension Array: PostgresEncodable where Element: PostgresArrayEncodable {
    /// Appends `[UInt8]` as a `bytea`, and any other array as an array of its element type.
    package func append(to parameters: inout PostgresParameters) {
        Element.append(self, to: &parameters)
    }

    /// Appends SQL's NULL, with the server type of the array.
    package static func appendNull(to parameters: inout PostgresParameters) {
        Element.appendNullArray(to: &parameters)
    }
}

extension UInt8: PostgresArrayEncodable {
    /// Appends a `bytea`.
    package static func append(_ array: [UInt8], to parameters: inout PostgresParameters) {
        parameters.append(.bytea) { $0.append(contentsOf: array) }
    }

    /// Appends a null `bytea`.
    package static func appendNullArray(to parameters: inout PostgresParameters) {
        parameters.appendNull(.bytea)
    }
}

extension [UInt8]: PostgresArrayEncodable {
    /// Appends a `bytea[]`.
    package static func append(_ array: [[UInt8]], to parameters: inout PostgresParameters) {
        parameters.append(.byteaArray) { $0.append(array: array, of: .bytea) { $0.append(contentsOf: $1) } }
    }

    /// Appends a null `bytea[]`.
    package static func appendNullArray(to parameters: inout PostgresParameters) {
        parameters.appendNull(.byteaArray)
    }
}

extension [UInt8] {
    fileprivate mutating func append(bigEndian value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
    }

    /// Appends an array's binary form (array_recv in PostgreSQL's arrayfuncs.c): the number of dimensions, whether there
    /// are nulls, the element type, then the length and first index of each dimension, then the length and the bytes of
    /// each element.
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
