/// One row of an answer, while it is read.
public struct PostgresRow: ~Copyable {
    private let result: PostgresResult
    private let index: Int

    init(_ result: PostgresResult, _ index: Int) {
        self.result = result
        self.index = index
    }

    /// How many columns there are.
    public var columnCount: Int { result.columnCount }

    /// Reads a column by its position, from 0.
    ///
    /// - Throws: ``PostgresError/Code/decoding`` if there is no such column, if its type is not one that `type` is read
    ///   from, or if it is null and `type` is not an optional.
    public func decode<Value: PostgresDecodable>(
        _ position: Int, as type: Value.Type = Value.self
    ) throws(PostgresError) -> Value {
        guard 0..<result.columnCount ~= position else {
            throw PostgresError(.decoding, "the row has no column \(position)")
        }
        return try Value.decode(PostgresField(result, row: index, column: position))
    }

    /// Reads a column by its name.
    ///
    /// - Throws: ``PostgresError/Code/decoding`` as above, or if not exactly one column has this name.
    public func decode<Value: PostgresDecodable>(
        _ name: String, as type: Value.Type = Value.self
    ) throws(PostgresError) -> Value {
        let positions = (0..<result.columnCount).filter { result.columnName($0) == name }
        guard let position = positions.first, positions.count == 1 else {
            throw PostgresError(.decoding, "the row has \(positions.count) columns with the name \(name)")
        }
        return try decode(position, as: type)
    }
}

/// One column of one row.
public struct PostgresField {
    private let result: PostgresResult
    private let row: Int
    private let column: Int

    init(_ result: PostgresResult, row: Int, column: Int) {
        self.result = result
        self.row = row
        self.column = column
    }

    /// Whether it is SQL's null.
    public var isNull: Bool { result.isNull(row: row, column: column) }

    /// The column's name.
    public var name: String { result.columnName(column) }

    /// The number by which PostgreSQL knows the column's type.
    public var typeIdentifier: UInt32 { type.rawValue }

    var type: PostgresType { result.columnType(column) }

    /// Calls `body` with the value in the server's binary format, valid until it returns.
    ///
    /// - Throws: ``PostgresError/Code/decoding`` if it is null, or if `body` returns nil: the bytes are no such value.
    public func decode<Value>(
        as expected: Value.Type = Value.self, _ body: (UnsafeRawBufferPointer) -> Value?
    ) throws(PostgresError) -> Value {
        guard !isNull else { throw failure("is null, not \(expected)") }
        let value = withExtendedLifetime(result) { body(result.bytes(row: row, column: column)) }
        guard let value else { throw failure("of type \(typeIdentifier) is not \(expected)") }
        return value
    }

    private func failure(_ words: String) -> PostgresError {
        PostgresError(.decoding, "column \(name) \(words)")
    }
}
