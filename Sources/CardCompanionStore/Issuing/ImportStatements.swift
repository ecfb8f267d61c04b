public import PostgresLibPQ

/// A line of an import, ready to be written.
public struct ImportLine: Sendable {
    /// The line's number; the first is 1.
    public let line: Int
    /// The cardholder.
    public let cardholder: SealedCardholder

    /// See the members.
    public init(line: Int, cardholder: SealedCardholder) {
        self.line = line
        self.cardholder = cardholder
    }
}

/// What became of a line that was written.
public struct ImportedLine: Sendable {
    /// The line's number.
    public let line: Int
    /// The cardholder.
    public let uniqueId: String
    /// Whether the line has created the cardholder; false for a line that a later one of the import overrides.
    public let isNew: Bool
}

extension Store {
    /// Lays lines aside until the whole import stands.
    public func stage(
        _ lines: [ImportLine], importId: String, bankId: String, now: Timestamp
    ) async throws(PostgresError) {
        _ = try await client.execute(StageLines(lines: lines, importId: importId, bankId: bankId, now: now))
    }

    /// Lets the database see how much is staged, before many lines are written.
    public func countStaged() async throws(PostgresError) {
        _ = try await client.execute(CountStaged())
    }

    /// Writes the next lines of an import that stands.
    ///
    /// - Returns: what became of them; none where none are left.
    public func mergeStaged(
        importId: String, limit: Int, now: Timestamp
    ) async throws(PostgresError) -> [ImportedLine] {
        try await client.execute(MergeLines(importId: importId, limit: Int32(clamping: limit), now: now))
    }

    /// Throws away what was laid aside for an import that does not stand.
    public func discardStaged(importId: String) async throws(PostgresError) {
        _ = try await client.execute(DiscardLines(importId: importId))
    }
}

/// One statement for any number of lines: an array a column. An empty value stands for none.
private struct StageLines: PostgresStatement {
    let lines: [ImportLine]
    let importId: String
    let bankId: String
    let now: Timestamp

    static let sql = """
        INSERT INTO import_line
            (import_id, line, bank_id, unique_id, status, channels, code_mac, sealed_pin, sealed_free_field, provision_mac,
            staged_at)
        SELECT $1, line, $2, unique_id, status, channels, code_mac, sealed_pin, sealed_free_field, provision_mac, $3
        FROM unnest($4::bigint[], $5::text[], $6::text[], $7::text[], $8::bytea[], $9::bytea[], $10::bytea[],
            $11::bytea[])
            AS new (line, unique_id, status, channels, code_mac, sealed_pin, sealed_free_field, provision_mac)
        """

    func bind(_ parameters: inout PostgresParameters) {
        let cardholders = lines.map(\.cardholder)
        parameters.append(importId)
        parameters.append(bankId)
        parameters.append(now)
        parameters.append(lines.map { Int64($0.line) })
        parameters.append(cardholders.map(\.uniqueId))
        parameters.append(cardholders.map(\.status.rawValue))
        parameters.append(cardholders.map { $0.channels.map(\.rawValue).joined(separator: ",") })
        parameters.append(cardholders.map { $0.codeMAC ?? [] })
        parameters.append(cardholders.map { $0.sealedPIN ?? [] })
        parameters.append(cardholders.map { $0.sealedFreeField ?? [] })
        parameters.append(cardholders.map(\.provisionMAC))
    }
}

/// The database counts a table's rows from time to time; this one may have been empty then, and merging would be planned
/// as for an empty table, to read all that is staged for each line.
private struct CountStaged: PostgresStatement {
    static let sql = "ANALYZE import_line"
}

/// Creates or replaces cardholders from lines, which are no longer staged then; an empty value stands for none. Of several
/// lines for one cardholder only the last is written, so that the same file once more changes nothing.
private struct MergeLines: PostgresStatement {
    let importId: String
    let limit: Int32
    let now: Timestamp

    static let sql = """
        WITH due AS (
            SELECT d.line FROM import_line d WHERE d.import_id = $2 ORDER BY d.line LIMIT $3
        ), taken AS (
            DELETE FROM import_line t WHERE t.import_id = $2 AND t.line <= (SELECT max(due.line) FROM due) RETURNING t.*
        ), last AS (
            -- Behind it, by cardholder and line, comes no other line of the same cardholder: one step in an index.
            SELECT t.* FROM taken t WHERE t.unique_id IS DISTINCT FROM (
                SELECT next.unique_id FROM import_line next
                WHERE next.import_id = $2 AND (next.unique_id, next.line) > (t.unique_id, t.line)
                ORDER BY next.unique_id, next.line LIMIT 1
            )
        ), written AS (
            INSERT INTO cardholder AS old
                (bank_id, unique_id, status, channels, code_mac, sealed_free_field, sealed_pin, pin_serial, pin_expires_at,
                provision_mac, created_at, updated_at)
            SELECT l.bank_id, l.unique_id, l.status, string_to_array(l.channels, ','), nullif(l.code_mac, ''),
                nullif(l.sealed_free_field, ''), nullif(l.sealed_pin, ''), (l.sealed_pin <> '')::integer,
                CASE WHEN l.sealed_pin <> '' THEN $1 + make_interval(days => bank.undelivered_lifetime_days) END,
                l.provision_mac, $1, $1
            FROM last l JOIN bank ON bank.id = l.bank_id
            -- Every statement locks rows in one order, so that two at once cannot wait for each other.
            ORDER BY l.unique_id
            ON CONFLICT (bank_id, unique_id) DO UPDATE SET
                status = excluded.status,
                channels = excluded.channels,
                code_mac = excluded.code_mac,
                authentication_failures = 0,
                sealed_free_field = excluded.sealed_free_field,
                sealed_pin = excluded.sealed_pin,
                pin_serial = old.pin_serial + excluded.pin_serial,
                pin_expires_at = excluded.pin_expires_at,
                delivered_at = NULL,
                unconfirmed_fetches = 0,
                version = nextval('cardholder_version'),
                provision_mac = excluded.provision_mac,
                updated_at = excluded.updated_at
            WHERE old.provision_mac IS DISTINCT FROM excluded.provision_mac
            RETURNING old.unique_id, old.xmax = 0 AS is_new
        )
        -- Arrays are made once; a join, or IN, might be done once a line.
        SELECT t.line, t.unique_id,
            t.line = ANY (ARRAY(SELECT l.line FROM last l))
                AND t.unique_id = ANY (ARRAY(SELECT w.unique_id FROM written w WHERE w.is_new))
        FROM taken t
        ORDER BY t.line
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(now)
        parameters.append(importId)
        parameters.append(limit)
    }

    static func decode(_ row: borrowing PostgresRow) throws(PostgresError) -> ImportedLine {
        ImportedLine(
            line: Int(try row.decode(0, as: Int64.self)), uniqueId: try row.decode(1, as: String.self),
            isNew: try row.decode(2, as: Bool.self))
    }
}

private struct DiscardLines: PostgresStatement {
    let importId: String

    static let sql = "DELETE FROM import_line WHERE import_id = $1"

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(importId)
    }
}
