package import CardCompanionModel
internal import PostgresLibPQ

extension Store {
    /// A cardholder's PIN, if they have defined it.
    ///
    /// - Returns: nil if there is no such cardholder.
    package func chosenPIN(
        bankId: Identifier, uniqueId: Identifier, now: Timestamp
    ) async throws(StoreError) -> StoredChosenPIN? {
        try await statements.execute(SelectChosenPIN(bankId: bankId, uniqueId: uniqueId, now: now)).first
    }

    /// Does everything of an export that must be atomic.
    package func exportPIN(
        _ export: PINExport, audit: AuditNote, now: Timestamp
    ) async throws(StoreError) -> PINExportOutcome {
        try await statements.executeForOneRow(ExportPIN(export: export, audit: audit, now: now))
    }

    /// Writes into the audit trail that an export was refused before anything of it was done.
    package func noteRefusedExport(
        _ outcome: String, of bankId: Identifier, audit: AuditNote, now: Timestamp
    ) async throws(StoreError) {
        _ = try await statements.execute(NoteRefusedExport(bankId: bankId, outcome: outcome, audit: audit, now: now))
    }

    /// The sealed key of a bank's digests of PANs; nil if it has none.
    package func panDigestKey(bankId: Identifier) async throws(StoreError) -> [UInt8]? {
        try await statements.firstRow("SELECT sealed_key FROM pan_digest_key WHERE bank_id = \(bankId)")
    }

    /// Adds the first key of a bank's digests. It does nothing if there is one, or if digests are there whose key is gone.
    package func insertPANDigestKey(_ sealed: [UInt8], bankId: Identifier) async throws(StoreError) {
        try await statements.execute(
            """
            INSERT INTO pan_digest_key (bank_id, sealed_key) SELECT \(bankId, sealed)
            WHERE NOT EXISTS (SELECT FROM pan_binding WHERE bank_id = \(bankId)) ON CONFLICT DO NOTHING
            """)
    }

    /// Whether a cardholder is paired with a PAN.
    package func hasPAN(bankId: Identifier, cardholderDigest: [UInt8]) async throws(StoreError) -> Bool {
        try await statements.row(
            """
            SELECT EXISTS (
                SELECT FROM pan_binding WHERE bank_id = \(bankId) AND cardholder_digest = \(cardholderDigest))
            """)
    }

    /// Parts a cardholder from their PAN.
    ///
    /// - Returns: false if they have none.
    package func deletePANBinding(bankId: Identifier, cardholderDigest: [UInt8]) async throws(StoreError) -> Bool {
        try await statements.execute(
            "DELETE FROM pan_binding WHERE bank_id = \(bankId) AND cardholder_digest = \(cardholderDigest)") == 1
    }

    /// Takes a bank's report of a defined PIN.
    package func reportChosenPIN(
        bankId: Identifier, uniqueId: Identifier, event: String, stage: DefinedPINStage, reason: String?,
        audit: AuditNote, now: Timestamp
    ) async throws(StoreError) -> DefinedPINReport {
        try await statements.executeForOneRow(
            ReportChosenPIN(
                bankId: bankId, uniqueId: uniqueId, event: event, stage: stage, reason: reason, audit: audit, now: now))
    }
}

private struct SelectChosenPIN: PostgresStatement {
    let bankId: Identifier
    let uniqueId: Identifier
    let now: Timestamp

    static let sql = """
        SELECT CASE WHEN chosen.pin_serial = cardholder.pin_serial AND (pin_expires_at IS NULL OR pin_expires_at > $3)
            THEN sealed_pin END, event_id
        FROM cardholder LEFT JOIN chosen_pin AS chosen USING (bank_id, unique_id) WHERE bank_id = $1 AND unique_id = $2
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(bankId, uniqueId, now)
    }

    static func decode(_ row: inout PostgresRow) throws(PostgresError) -> StoredChosenPIN {
        StoredChosenPIN(sealed: try row.next(), event: try row.next())
    }
}

private struct ExportPIN: PostgresStatement {
    let export: PINExport
    let audit: AuditNote
    let now: Timestamp

    static let sql = """
        SELECT outcome, retry_after, append_audit(
            p_now => $1, p_operation => 'export-pin', p_outcome => outcome, p_bank_id => $2, p_subject => $15,
            p_actor => $16, p_detail => $17)
        FROM export_pin(
            p_now => $1, p_bank_id => $2, p_bank_revision => $3, p_unique_id => $4, p_event_id => $5,
            p_pan_digest => $6, p_cardholder_digest => $7, p_call_key => $8, p_call_mac => $9, p_call_expires_at => $10,
            p_answer => $11, p_data => $12::jsonb, p_daily_limit => $13, p_rate_limit => $14)
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(
            now, export.bankId, export.bankRevision, export.uniqueId, export.definition, export.pairing.panDigest,
            export.pairing.cardholderDigest, export.call.key, export.call.mac, export.call.expiresAt)
        parameters.append(
            export.answer, export.data, Int32(PINExport.dailyLimit), Int32(PINExport.rateLimit), audit.subject,
            audit.actor, audit.detail)
    }

    static func decode(_ row: inout PostgresRow) throws(PostgresError) -> PINExportOutcome {
        let (outcome, retryAfter): (String, Int32?) = (try row.next(), try row.next())
        return switch outcome {
        case "under-way": .underWay
        case "answered": .answered
        case "stale": .stale
        case "no-cardholder": .noCardholder
        case "no-defined-pin": .noDefinedPIN
        case "too-many-now": .tooManyNow(retryAfterSeconds: Int(retryAfter ?? 1))
        case "bound-otherwise": .boundOtherwise
        case "too-many-today": .tooManyToday(retryAfterSeconds: Int(retryAfter ?? 1))
        case "exported": .exported
        default: throw PostgresError(.decoding, "unknown outcome of an export")
        }
    }
}

private struct NoteRefusedExport: PostgresCommand {
    let bankId: Identifier
    let outcome: String
    let audit: AuditNote
    let now: Timestamp

    static let sql = """
        SELECT append_audit(
            p_now => $1, p_operation => 'export-pin', p_outcome => $2, p_bank_id => $3, p_subject => $4, p_actor => $5,
            p_detail => $6)
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(now, outcome, bankId, audit.subject, audit.actor, audit.detail)
    }
}

private struct ReportChosenPIN: PostgresStatement {
    let bankId: Identifier
    let uniqueId: Identifier
    let event: String
    let stage: DefinedPINStage
    let reason: String?
    let audit: AuditNote
    let now: Timestamp

    static let sql = """
        SELECT outcome, version, stated_at, append_audit(
            p_now => $1, p_operation => 'report-defined-pin', p_outcome => outcome, p_bank_id => $2, p_subject => $7,
            p_actor => $8, p_detail => $5, p_rows => changed_rows)
        FROM report_chosen_pin(
            p_now => $1, p_bank_id => $2, p_unique_id => $3, p_event_id => $4, p_state => $5, p_reason => $6)
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(now, bankId, uniqueId, event, stage, reason, audit.subject, audit.actor)
    }

    static func decode(_ row: inout PostgresRow) throws(PostgresError) -> DefinedPINReport {
        let (outcome, version, at): (String, Int64?, Timestamp?) = (try row.next(), try row.next(), try row.next())
        switch (outcome, version, at) {
        case ("no-cardholder", _, _): return .noCardholder
        case ("other-pin", _, _): return .otherPIN
        case ("reported", let version?, let at?), ("unchanged", let version?, let at?):
            return .taken(version: version, at: at)
        default: throw PostgresError(.decoding, "unknown outcome of a report")
        }
    }
}
