/// One row of a result, for decoding from its first column to its last.
package struct PostgresRow: ~Copyable {
    private let result: PostgresResult
    private let index: Int
    private var position = 0

    init(_ result: PostgresResult, _ index: Int) {
        self.result = result
        self.index = index
    }

    package var columnCount: Int { result.columnCount }

    /// Reads the next columns.
    ///
    /// - Throws: ``PostgresError/Code/decoding`` if there are no more columns, if `type` cannot be read from the columns'
    ///   types, or if a column is null and `type` is not an optional.
    package mutating func next<Value: PostgresRowDecodable>(
        as type: Value.Type = Value.self
    ) throws(PostgresError) -> Value {
        try Value(&self)
    }

    fileprivate mutating func nextField() throws(PostgresError) -> PostgresField {
        guard position < result.columnCount else {
            throw PostgresError(.decoding, "the row has no column \(position)")
        }
        defer { position += 1 }
        return PostgresField(result, row: index, column: position)
    }
}

/// A type that reads itself from the next columns of a row: a value from one column, a record from several.
package protocol PostgresRowDecodable {
    init(_ row: inout PostgresRow) throws(PostgresError)
}

extension PostgresDecodable {
    /// Reads one column.
    package init(_ row: inout PostgresRow) throws(PostgresError) {
        self = try Self.decode(row.nextField())
    }
}

/// One column of one row.
package struct PostgresField {
    private let result: PostgresResult
    private let row: Int
    private let column: Int

    init(_ result: PostgresResult, row: Int, column: Int) {
        self.result = result
        self.row = row
        self.column = column
    }

    package var isNull: Bool { result.isNull(row: row, column: column) }

    package var name: String { result.columnName(column) }

    /// The object identifier (OID) of the column's type.
    package var typeIdentifier: UInt32 { type.rawValue }

    var type: PostgresType { result.columnType(column) }

    /// Calls `body` with the value in the server's binary format. The bytes are valid until `body` returns.
    ///
    /// - Throws: ``PostgresError/Code/decoding`` if the value is null, or if `body` returns nil because the bytes are not
    ///   a valid value.
    package func decode<Value>(
        as expected: Value.Type = Value.self, _ body: (UnsafeRawBufferPointer) -> Value?
    ) throws(PostgresError) -> Value {
        guard !isNull else { throw failure("is null, not \(expected)") }
        let value = withExtendedLifetime(result) { body(result.bytes(row: row, column: column)) }
        guard let value else { throw failure("of type \(typeIdentifier) cannot be read as \(expected)") }
        return value
    }

    private func failure(_ words: String) -> PostgresError {
        PostgresError(.decoding, "column \(name) \(words)")
    }
}
