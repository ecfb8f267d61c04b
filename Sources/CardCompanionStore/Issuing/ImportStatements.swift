internal import PostgresLibPQ

/// A line of an import, ready to be written.
package struct ImportLine: Sendable {
    /// The first line is 1.
    package let line: Int
    package let cardholder: SealedCardholder

    package init(line: Int, cardholder: SealedCardholder) {
        self.line = line
        self.cardholder = cardholder
    }
}

/// The result of a line that was written.
package struct ImportedLine: Sendable {
    package let line: Int
    package let uniqueId: Identifier
    /// Whether the line created the cardholder; false for a line that a later line of the import overrides.
    package let isNew: Bool
}

extension Store {
    /// Stages lines until the body of the import is complete.
    package func stage(
        _ lines: [ImportLine], importId: String, bankId: Identifier, now: Timestamp
    ) async throws(StoreError) {
        _ = try await statements.execute(StageLines(lines: lines, importId: importId, bankId: bankId, now: now))
    }

    /// Writes the next staged lines of an import whose body was complete.
    ///
    /// - Returns: their results; none if no line is left.
    package func mergeStaged(
        importId: String, bankId: Identifier, limit: Int, now: Timestamp
    ) async throws(StoreError) -> [ImportedLine] {
        try await statements.execute(
            MergeLines(importId: importId, bankId: bankId, limit: Int32(clamping: limit), now: now))
    }

    /// Deletes the staged lines of an import that will not be written.
    package func discardStaged(importId: String, bankId: Identifier) async throws(StoreError) {
        _ = try await statements.execute(DiscardLines(importId: importId, bankId: bankId))
    }
}

/// One statement for any number of lines: one array per column. An empty value means none.
private struct StageLines: PostgresCommand {
    let lines: [ImportLine]
    let importId: String
    let bankId: Identifier
    let now: Timestamp

    static let sql = """
        INSERT INTO import_line
            (import_id, line, bank_id, unique_id, status, channels, code_mac, sealed_pin, sealed_free_field,
            provision_mac, staged_at)
        SELECT $1, line, $2, unique_id, status, channels, code_mac, sealed_pin, sealed_free_field, provision_mac, $3
        FROM unnest($4::bigint[], $5::text[], $6::text[], $7::text[], $8::bytea[], $9::bytea[], $10::bytea[],
            $11::bytea[])
            AS new (line, unique_id, status, channels, code_mac, sealed_pin, sealed_free_field, provision_mac)
        """

    func bind(_ parameters: inout PostgresParameters) {
        let cardholders = lines.map(\.cardholder)
        parameters.append(
            importId, bankId, now, lines.map { Int64($0.line) }, cardholders.map(\.uniqueId.text),
            cardholders.map(\.status.rawValue),
            cardholders.map { $0.channels.map(\.rawValue).joined(separator: ",") },
            cardholders.map { $0.codeMAC ?? [] }, cardholders.map { $0.sealedPIN ?? [] },
            cardholders.map { $0.sealedFreeField ?? [] }, cardholders.map(\.provisionMAC))
    }
}

private struct MergeLines: PostgresStatement {
    let importId: String
    let bankId: Identifier
    let limit: Int32
    let now: Timestamp

    static let sql = """
        SELECT line, unique_id, is_new FROM merge_import(
            p_now => $1, p_bank_id => $2, p_import_id => $3, p_limit => $4)
        ORDER BY line
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(now, bankId, importId, limit)
    }

    static func decode(_ row: borrowing PostgresRow) throws(PostgresError) -> ImportedLine {
        ImportedLine(line: try row.decode(0), uniqueId: try row.decode(1), isNew: try row.decode(2))
    }
}

private struct DiscardLines: PostgresCommand {
    let importId: String
    let bankId: Identifier

    static let sql = "DELETE FROM import_line WHERE bank_id = $1 AND import_id = $2"

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(bankId, importId)
    }
}
