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
        // For a newer key it begins again.
        try await statements.firstRow(
            """
            INSERT INTO resealing AS work
                (sealed_column, data_key_id, after_bank_id, after_row_id, is_finished, leased_until)
            VALUES (\(column, dataKeyId), '', '', false, \(until))
            ON CONFLICT (sealed_column) DO UPDATE SET
                data_key_id = \(dataKeyId),
                after_bank_id = CASE WHEN work.data_key_id = \(dataKeyId) THEN work.after_bank_id ELSE '' END,
                after_row_id = CASE WHEN work.data_key_id = \(dataKeyId) THEN work.after_row_id ELSE '' END,
                is_finished = false,
                leased_until = \(until)
            WHERE work.leased_until <= \(now) AND (
                work.data_key_id < \(dataKeyId) OR (work.data_key_id = \(dataKeyId) AND NOT work.is_finished))
            RETURNING after_bank_id, after_row_id
            """)
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
        try await statements.firstRow(
            """
            UPDATE resealing SET after_bank_id = \(record.after.bankId), after_row_id = \(record.after.rowId),
                is_finished = \(record.isFinished), leased_until = \(leasedUntil)
            WHERE sealed_column = \(record.column) AND data_key_id = \(record.dataKeyId)
                AND (after_bank_id, after_row_id) = (\(row.bankId, row.rowId))
            RETURNING true
            """) ?? false
    }

    /// Makes servers go through a column again, from its start. A server that goes through it now stops,
    /// unless it is still at the start.
    package func restartResealing(of column: KeyedColumn) async throws(StoreError) {
        try await statements.execute(
            """
            UPDATE resealing SET after_bank_id = '', after_row_id = '', is_finished = false, leased_until = '-infinity'
            WHERE sealed_column = \(column)
            """)
    }

    /// How far the re-sealing of each column has come, if it was ever begun.
    package func resealing() async throws(StoreError) -> [ResealingRecord] {
        try await statements.rows(
            """
            SELECT sealed_column, data_key_id, after_bank_id, after_row_id, is_finished FROM resealing
            ORDER BY sealed_column
            """)
    }

    /// The next rows of a column, each with its value if that was sealed with another key.
    package func values(
        of column: KeyedColumn, notUnder dataKeyId: Int32, after row: KeyedRow, limit: Int
    ) async throws(StoreError) -> [(row: KeyedRow, value: [UInt8]?)] {
        let place = column.place
        return try await statements.rows(
            """
            SELECT \(sql: place.row),
                CASE WHEN substring(\(sql: place.column) FOR 4) <> int4send(\(dataKeyId)) THEN \(sql: place.column) END
            FROM \(sql: place.table) WHERE (\(sql: place.row)) > (\(row.bankId, row.rowId)) ORDER BY 1, 2 LIMIT \(limit)
            """
        ).map { ($0, $1) }
    }

    /// Replaces values. A row that is locked, or whose value has changed, is skipped.
    package func replace(_ values: [ResealedValue], in column: KeyedColumn) async throws(StoreError) {
        let place = column.place
        // It waits for no lock. So it cannot deadlock with an import, which locks many rows.
        try await statements.execute(
            """
            WITH resealed AS (
                SELECT * FROM unnest(
                    \(values.map(\.row.bankId), values.map(\.row.rowId), values.map(\.old), values.map(\.new))
                ) AS resealed (bank_id, row_id, old_value, new_value)
            ), free AS (
                SELECT resealed.* FROM \(sql: place.table) JOIN resealed
                    ON (\(sql: place.row)) = (resealed.bank_id, resealed.row_id)
                WHERE \(sql: place.table).\(sql: place.column) = resealed.old_value
                FOR UPDATE OF \(sql: place.table) SKIP LOCKED
            )
            UPDATE \(sql: place.table) SET \(sql: place.column) = free.new_value FROM free
            WHERE (\(sql: place.row)) = (free.bank_id, free.row_id)
                AND \(sql: place.table).\(sql: place.column) = free.old_value
            """)
    }

    /// As ``replace(_:in:)``, for a column of cardholders. The audit trail says which rows were changed.
    package func replaceInCardholders(
        _ values: [ResealedValue], in column: KeyedColumn, now: Timestamp
    ) async throws(StoreError) {
        let place = column.place
        let work = AuditNote.ofWork
        let _: Int = try await statements.row(
            """
            WITH resealed AS (
                SELECT * FROM unnest(
                    \(values.map(\.row.bankId), values.map(\.row.rowId), values.map(\.old), values.map(\.new))
                ) AS resealed (bank_id, row_id, old_value, new_value)
            ), free AS (
                SELECT resealed.*, cardholder AS before FROM cardholder JOIN resealed
                    ON (\(sql: place.row)) = (resealed.bank_id, resealed.row_id)
                WHERE cardholder.\(sql: place.column) = resealed.old_value
                FOR UPDATE OF cardholder SKIP LOCKED
            ), changed AS (
                UPDATE cardholder SET \(sql: place.column) = free.new_value, changes = changes + 1 FROM free
                WHERE (\(sql: place.row)) = (free.bank_id, free.row_id)
                RETURNING changed_cardholder(p_before => free.before, p_after => cardholder) AS change
            )
            SELECT (SELECT count(*) FROM changed),
                CASE WHEN EXISTS (SELECT FROM changed) THEN append_audit(
                    p_now => \(now), p_operation => \(work.operation), p_outcome => 'sealed values anew', p_bank_id => NULL,
                    p_subject => NULL, p_actor => \(work.actor), p_detail => (SELECT count(*) FROM changed) || ' values',
                    p_rows => (SELECT string_agg(change, '') FROM changed)) END
            """)
    }

    /// Counts the values of the next rows that were made with a key.
    ///
    /// - Returns: the count, and the last of the rows; nil if there are no more rows.
    package func countValues(
        of column: KeyedColumn, under dataKeyId: Int32, after row: KeyedRow, limit: Int
    ) async throws(StoreError) -> (count: Int64, last: KeyedRow?) {
        let place = column.place
        let (count, bankId, rowId): (Int64, String?, String?) = try await statements.row(
            """
            WITH page (bank_id, row_id, value) AS (
                SELECT \(sql: place.row), \(sql: place.column)
                FROM \(sql: place.table) WHERE (\(sql: place.row)) > (\(row.bankId, row.rowId))
                ORDER BY 1, 2 LIMIT \(limit)
            ), last AS (
                SELECT bank_id, row_id FROM page ORDER BY bank_id DESC, row_id DESC LIMIT 1
            )
            SELECT count(*) FILTER (WHERE substring(value FOR 4) = int4send(\(dataKeyId))),
                (SELECT bank_id FROM last), (SELECT row_id FROM last)
            FROM page
            """)
        return (count, bankId.flatMap { bankId in rowId.map { KeyedRow(bankId: bankId, rowId: $0) } })
    }
}

extension ResealingRecord: PostgresRowDecodable {
    init(_ row: inout PostgresRow) throws(PostgresError) {
        self.init(column: try row.next(), dataKeyId: try row.next(), after: try row.next(), isFinished: try row.next())
    }
}

extension KeyedRow: PostgresRowDecodable {
    init(_ row: inout PostgresRow) throws(PostgresError) {
        self.init(bankId: try row.next(), rowId: try row.next())
    }
}
