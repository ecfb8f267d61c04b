package import CardCompanionModel
internal import PostgresLibPQ
internal import StrictJSON

private let memberSeparator = "\u{1F}"

extension Store {
    /// Stages lines until the body of the import is complete.
    package func stage(
        _ lines: [ImportLine], importId: String, bankId: Identifier, now: Timestamp
    ) async throws(StoreError) {
        _ = try await statements.execute(StageLines(lines: lines, importId: importId, bankId: bankId, now: now))
    }

    /// Writes the next staged lines of an import whose body was complete.
    ///
    /// - Parameters:
    ///   - settings: the bank's.
    ///   - actor: who imports, for the audit trail.
    /// - Returns: their results; none if no line is left.
    package func mergeStaged(
        importId: String, bankId: Identifier, settings: BankSettings, limit: Int, actor: String, now: Timestamp
    ) async throws(StoreError) -> [ImportedLine] {
        try await statements.execute(
            MergeLines(
                importId: importId, bankId: bankId, settings: settings, limit: Int32(clamping: limit), actor: actor,
                now: now))
    }

    /// Deletes the staged lines of an import that will not be written.
    package func discardStaged(importId: String, bankId: Identifier) async throws(StoreError) {
        try await statements.execute("DELETE FROM import_line WHERE bank_id = \(bankId) AND import_id = \(importId)")
    }
}

/// One statement for any number of lines: one array per column. An empty text is no change.
private struct StageLines: PostgresCommand {
    let lines: [ImportLine]
    let importId: String
    let bankId: Identifier
    let now: Timestamp

    static let sql = """
        INSERT INTO import_line (import_id, bank_id, staged_at, line, unique_id, change, subject, unknown_members)
        SELECT $1, $2, $3, line, unique_id,
            CASE WHEN change <> '' THEN jsonb_populate_record(NULL::cardholder_change, change::jsonb) END, subject,
            unknown_members
        FROM unnest($4::bigint[], $5::text[], $6::text[], $7::bytea[], $8::text[])
            AS new (line, unique_id, change, subject, unknown_members)
        """

    func bind(_ parameters: inout PostgresParameters) {
        let changes = lines.map { line in
            line.change.map { change in String(json: JSONWriter.object { change.write(to: &$0) }) } ?? ""
        }
        parameters.append(
            importId, bankId, now, lines.map { Int64($0.line) }, lines.map(\.uniqueId.text), changes,
            lines.map(\.subject), lines.map { $0.unknownMembers.joined(separator: memberSeparator) })
    }
}

private struct MergeLines: PostgresStatement {
    let importId: String
    let bankId: Identifier
    let settings: BankSettings
    let limit: Int32
    let actor: String
    let now: Timestamp

    static let sql = """
        SELECT line, unique_id, outcome, NULL::bigint, pin, unknown_members
        FROM merge_import(
            p_now => $1, p_bank_id => $2, p_import_id => $3, p_limit => $4, p_actor => $5,
            p_undelivered_lifetime_days => $6)
        ORDER BY line
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(
            now, bankId, importId, limit, actor, Int32(clamping: settings.undeliveredLifetimeDays))
    }

    static func decode(_ row: inout PostgresRow) throws(PostgresError) -> ImportedLine {
        ImportedLine(
            line: try row.next(), uniqueId: try row.next(), outcome: try row.next(),
            unknownMembers: try row.next(as: String.self).split(separator: memberSeparator).map(String.init))
    }
}
