package import CardCompanionModel
internal import PostgresLibPQ

/// How far the servers have come with a column.
package struct ResealingRecord: Sendable {
    package let column: KeyedColumn
    /// The key that values are sealed with now.
    package let dataKeyId: Int32
    /// The last row that is done.
    package let after: KeyedRow
    package let isFinished: Bool

    package init(column: KeyedColumn, dataKeyId: Int32, after: KeyedRow, isFinished: Bool) {
        self.column = column
        self.dataKeyId = dataKeyId
        self.after = after
        self.isFinished = isFinished
    }
}

/// A value, and the same value sealed with another key.
package struct ResealedValue: Sendable {
    package let row: KeyedRow
    package let old: [UInt8]
    package let new: [UInt8]

    package init(row: KeyedRow, old: [UInt8], new: [UInt8]) {
        self.row = row
        self.old = old
        self.new = new
    }
}

extension Store {
    /// Claims the re-sealing of a column, unless it is finished or another server does it.
    ///
    /// - Returns: the last row that is done; nil if there is nothing to do.
    package func leaseResealing(
        of column: KeyedColumn, to dataKeyId: Int32, until: Timestamp, now: Timestamp
    ) async throws(StoreError) -> KeyedRow? {
        try await statements.execute(
            LeaseResealing(column: column, dataKeyId: dataKeyId, now: now, until: until)
        ).first
    }

    /// Records how far the re-sealing has come.
    ///
    /// - Parameters:
    ///   - row: where the record was until now.
    ///   - leasedUntil: now, to give the lease back.
    /// - Returns: false, with nothing recorded, if the record is at another row: the re-sealing was restarted, or another
    ///   server goes on.
    package func saveResealing(
        _ record: ResealingRecord, from row: KeyedRow, leasedUntil: Timestamp
    ) async throws(StoreError) -> Bool {
        try await !statements.execute(SaveResealing(record: record, from: row, leasedUntil: leasedUntil)).isEmpty
    }

    /// Makes servers go through a column again, from its start. A server that goes through it now stops,
    /// unless it is still at the start.
    package func restartResealing(of column: KeyedColumn) async throws(StoreError) {
        _ = try await statements.execute(RestartResealing(column: column))
    }

    /// How far the re-sealing of each column has come, if it was ever begun.
    package func resealing() async throws(StoreError) -> [ResealingRecord] {
        try await statements.execute(SelectResealing())
    }

    /// The next rows of a column, each with its value if that was sealed with another key.
    package func values(
        of column: KeyedColumn, notUnder dataKeyId: Int32, after row: KeyedRow, limit: Int
    ) async throws(StoreError) -> [(row: KeyedRow, value: [UInt8]?)] {
        func select<Source: KeyedColumnSource>(
            _: Source.Type
        ) async throws(StoreError) -> [(row: KeyedRow, value: [UInt8]?)] {
            try await statements.execute(
                SelectValues<Source>(dataKeyId: dataKeyId, after: row, limit: Int32(clamping: limit)))
        }
        return try await select(column.source)
    }

    /// Replaces values. A row that is locked, or whose value has changed, is skipped.
    package func replace(_ values: [ResealedValue], in column: KeyedColumn) async throws(StoreError) {
        func replace<Source: KeyedColumnSource>(_: Source.Type) async throws(StoreError) {
            _ = try await statements.execute(ReplaceValues<Source>(values: values))
        }
        try await replace(column.source)
    }

    /// Counts the values of the next rows that were made with a key.
    ///
    /// - Returns: the count, and the last of the rows; nil if there are no more rows.
    package func countValues(
        of column: KeyedColumn, under dataKeyId: Int32, after row: KeyedRow, limit: Int
    ) async throws(StoreError) -> (count: Int64, last: KeyedRow?) {
        func count<Source: KeyedColumnSource>(
            _: Source.Type
        ) async throws(StoreError) -> (count: Int64, last: KeyedRow?) {
            try await statements.executeForOneRow(
                CountValues<Source>(dataKeyId: dataKeyId, after: row, limit: Int32(clamping: limit)))
        }
        return try await count(column.source)
    }
}

private struct LeaseResealing: PostgresStatement {
    typealias Row = KeyedRow

    let column: KeyedColumn
    let dataKeyId: Int32
    let now: Timestamp
    let until: Timestamp

    // For a newer key it begins again.
    static let sql = """
        INSERT INTO resealing AS work
            (sealed_column, data_key_id, after_bank_id, after_row_id, is_finished, leased_until)
        VALUES ($1, $2, '', '', false, $4)
        ON CONFLICT (sealed_column) DO UPDATE SET
            data_key_id = $2,
            after_bank_id = CASE WHEN work.data_key_id = $2 THEN work.after_bank_id ELSE '' END,
            after_row_id = CASE WHEN work.data_key_id = $2 THEN work.after_row_id ELSE '' END,
            is_finished = false,
            leased_until = $4
        WHERE work.leased_until <= $3 AND (work.data_key_id < $2 OR (work.data_key_id = $2 AND NOT work.is_finished))
        RETURNING after_bank_id, after_row_id
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(column, dataKeyId, now, until)
    }
}

private struct SaveResealing: PostgresStatement {
    let record: ResealingRecord
    let from: KeyedRow
    let leasedUntil: Timestamp

    static let sql = """
        UPDATE resealing SET after_bank_id = $3, after_row_id = $4, is_finished = $5, leased_until = $6
        WHERE sealed_column = $1 AND data_key_id = $2 AND (after_bank_id, after_row_id) = ($7, $8)
        RETURNING true
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(
            record.column, record.dataKeyId, record.after.bankId, record.after.rowId, record.isFinished, leasedUntil,
            from.bankId, from.rowId)
    }

    static func decode(_ row: inout PostgresRow) throws(PostgresError) -> Bool { try row.decode(0) }
}

private struct RestartResealing: PostgresCommand {
    let column: KeyedColumn

    static let sql = """
        UPDATE resealing SET after_bank_id = '', after_row_id = '', is_finished = false, leased_until = '-infinity'
        WHERE sealed_column = $1
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(column)
    }
}

private struct SelectResealing: PostgresStatement {
    static let sql = """
        SELECT sealed_column, data_key_id, after_bank_id, after_row_id, is_finished FROM resealing
        ORDER BY sealed_column
        """

    static func decode(_ row: inout PostgresRow) throws(PostgresError) -> ResealingRecord {
        ResealingRecord(
            column: try row.decode(0), dataKeyId: try row.decode(1),
            after: KeyedRow(bankId: try row.decode(2), rowId: try row.decode(3)), isFinished: try row.decode(4))
    }
}

private struct SelectValues<Source: KeyedColumnSource>: PostgresStatement {
    let dataKeyId: Int32
    let after: KeyedRow
    let limit: Int32

    static var sql: String {
        """
        SELECT \(Source.bankId), \(Source.rowId),
            CASE WHEN substring(\(Source.column) FOR 4) <> int4send($3) THEN \(Source.column) END
        FROM \(Source.table) WHERE (\(Source.bankId), \(Source.rowId)) > ($1, $2) ORDER BY 1, 2 LIMIT $4
        """
    }

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(after.bankId, after.rowId, dataKeyId, limit)
    }

    static func decode(
        _ row: inout PostgresRow
    ) throws(PostgresError) -> (row: KeyedRow, value: [UInt8]?) {
        (try KeyedRow(&row), try row.decode(2))
    }
}

private struct ReplaceValues<Source: KeyedColumnSource>: PostgresCommand {
    let values: [ResealedValue]

    // It waits for no lock. So it cannot deadlock with an import, which locks many rows.
    static var sql: String {
        """
        WITH resealed AS (
            SELECT * FROM unnest($1::text[], $2::text[], $3::bytea[], $4::bytea[])
                AS resealed (bank_id, row_id, old_value, new_value)
        ), free AS (
            SELECT resealed.* FROM \(Source.table) JOIN resealed
                ON (\(Source.bankId), \(Source.rowId)) = (resealed.bank_id, resealed.row_id)
            WHERE \(Source.table).\(Source.column) = resealed.old_value
            FOR UPDATE OF \(Source.table) SKIP LOCKED
        )
        UPDATE \(Source.table) SET \(Source.column) = free.new_value FROM free
        WHERE (\(Source.bankId), \(Source.rowId)) = (free.bank_id, free.row_id)
            AND \(Source.table).\(Source.column) = free.old_value
        """
    }

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(
            values.map(\.row.bankId), values.map(\.row.rowId), values.map(\.old), values.map(\.new))
    }
}

private struct CountValues<Source: KeyedColumnSource>: PostgresStatement {
    let dataKeyId: Int32
    let after: KeyedRow
    let limit: Int32

    static var sql: String {
        """
        WITH page AS (
            SELECT \(Source.bankId) AS bank_id, \(Source.rowId) AS row_id, \(Source.column) AS value
            FROM \(Source.table) WHERE (\(Source.bankId), \(Source.rowId)) > ($1, $2) ORDER BY 1, 2 LIMIT $4
        ), last AS (
            SELECT bank_id, row_id FROM page ORDER BY bank_id DESC, row_id DESC LIMIT 1
        )
        SELECT (SELECT bank_id FROM last), (SELECT row_id FROM last),
            count(*) FILTER (WHERE substring(value FOR 4) = int4send($3))
        FROM page
        """
    }

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(after.bankId, after.rowId, dataKeyId, limit)
    }

    static func decode(
        _ row: inout PostgresRow
    ) throws(PostgresError) -> (count: Int64, last: KeyedRow?) {
        let isAtEnd = try row.decode(0, as: String?.self) == nil
        return (try row.decode(2), isAtEnd ? nil : try KeyedRow(&row))
    }
}

extension KeyedRow: PostgresRowDecodable {
    /// From the first two columns.
    init(_ row: inout PostgresRow) throws(PostgresError) {
        self.init(
            bankId: try row.decode(0), rowId: try row.decode(1))
    }
}
