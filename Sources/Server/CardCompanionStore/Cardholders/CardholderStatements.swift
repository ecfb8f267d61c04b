package import CardCompanionModel
internal import PostgresLibPQ
internal import StrictJSON

extension Store {
    /// Writes a cardholder.
    ///
    /// - Parameters:
    ///   - settings: the bank's.
    ///   - call: the call with an Idempotency-Key that asks for it.
    package func writeCardholder(
        bankId: Identifier, settings: BankSettings, uniqueId: Identifier, _ change: CardholderChange,
        if precondition: VersionPrecondition, call: IdempotentCall? = nil, audit: AuditNote, now: Timestamp
    ) async throws(StoreError) -> WriteOutcome {
        try await statements.executeForOneRow(
            WriteCardholder(
                bankId: bankId, settings: settings, uniqueId: uniqueId, change: change, precondition: precondition,
                call: call, audit: audit, now: now))
    }

    /// Erases a cardholder and everything that is stored about them.
    ///
    /// - Parameter call: the call with an Idempotency-Key that asks for it.
    package func deleteCardholder(
        bankId: Identifier, uniqueId: Identifier, if precondition: VersionPrecondition, call: IdempotentCall? = nil,
        audit: AuditNote, now: Timestamp
    ) async throws(StoreError) -> WriteOutcome {
        try await statements.executeForOneRow(
            DeleteCardholder(
                bankId: bankId, uniqueId: uniqueId, precondition: precondition, call: call, audit: audit, now: now))
    }

    /// The bank's cardholders in the order of their uniqueIds, from the first one after `after`.
    package func cardholders(
        bankId: Identifier, after: String?, limit: Int
    ) async throws(StoreError) -> [CardholderRecord] {
        try await statements.rows(
            """
            \(sql: CardholderRecord.selection)
            WHERE bank_id = \(bankId) AND unique_id > \(after ?? "")::identifier ORDER BY unique_id LIMIT \(limit)
            """)
    }

    package func cardholder(
        bankId: Identifier, uniqueId: Identifier
    ) async throws(StoreError) -> CardholderRecord? {
        try await statements.execute(SelectCardholder(bankId: bankId, uniqueId: uniqueId)).first
    }
}

private struct WriteCardholder: PostgresStatement {
    typealias Row = WriteOutcome

    let bankId: Identifier
    let settings: BankSettings
    let uniqueId: Identifier
    let change: CardholderChange
    let precondition: VersionPrecondition
    let call: IdempotentCall?
    let audit: AuditNote
    let now: Timestamp

    static let sql = """
        SELECT outcome, version, pin, append_audit(
            p_now => $1, p_operation => 'write-cardholder', p_outcome => outcome, p_bank_id => $2, p_subject => $11,
            p_actor => $12, p_detail => $13, p_rows => changed_rows)
        FROM write_cardholder(
            p_now => $1, p_bank_id => $2, p_unique_id => $3,
            p_change => jsonb_populate_record(NULL::cardholder_change, $4::jsonb),
            p_if_version => $5, p_must_exist => $6, p_must_not_exist => $7, p_call_key => $8, p_call_mac => $9,
            p_call_expires_at => $10, p_undelivered_lifetime_days => $14)
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(
            now, bankId, uniqueId, String(json: JSONWriter.object { change.write(to: &$0) }), precondition.version,
            precondition == .exists, precondition == .isAbsent, call?.key, call?.mac, call?.expiresAt)
        parameters.append(
            audit.subject, audit.actor, audit.detail, Int32(clamping: settings.undeliveredLifetimeDays))
    }
}

private struct DeleteCardholder: PostgresStatement {
    typealias Row = WriteOutcome

    let bankId: Identifier
    let uniqueId: Identifier
    let precondition: VersionPrecondition
    let call: IdempotentCall?
    let audit: AuditNote
    let now: Timestamp

    static let sql = """
        SELECT outcome, NULL::bigint, NULL::text, append_audit(
            p_now => $1, p_operation => 'delete-cardholder', p_outcome => outcome, p_bank_id => $2, p_subject => $9,
            p_actor => $10, p_detail => $11, p_rows => changed_rows)
        FROM delete_cardholder(
            p_now => $1, p_bank_id => $2, p_unique_id => $3, p_if_version => $4, p_must_not_exist => $5,
            p_call_key => $6, p_call_mac => $7, p_call_expires_at => $8)
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(
            now, bankId, uniqueId, precondition.version, precondition == .isAbsent, call?.key, call?.mac,
            call?.expiresAt, audit.subject, audit.actor, audit.detail)
    }
}

extension WriteOutcome: PostgresRowDecodable {
    private enum Failure: String, StoredEnumeration {
        case absent, answered
        case preconditionFailed = "precondition-failed"
        case pinVersionMissing = "pin-version-missing"
        case pinUnreadable = "pin-unreadable"
        case underWay = "under-way"
    }

    /// Reads outcome, version and what happened to the PIN, as the functions that write a cardholder return them.
    init(_ row: inout PostgresRow) throws(PostgresError) {
        let (outcome, version, pin): (String, Int64?, WrittenCardholder.PINEffect?) = (
            try row.next(), try row.next(), try row.next()
        )
        if let effect = WrittenCardholder.Effect(rawValue: outcome) {
            self = .done(WrittenCardholder(effect: effect, version: version, pin: pin))
            return
        }
        guard let failure = Failure(rawValue: outcome) else {
            throw PostgresError(.decoding, "unknown outcome of a write")
        }
        self =
            switch failure {
            case .absent: .absent
            case .answered: .answered
            case .preconditionFailed: .preconditionFailed
            case .pinVersionMissing: .pinVersionMissing
            case .pinUnreadable: .pinUnreadable
            case .underWay: .underWay
            }
    }
}

private struct SelectCardholder: PostgresStatement {
    typealias Row = CardholderRecord

    let bankId: Identifier
    let uniqueId: Identifier

    static let sql = "\(CardholderRecord.selection) WHERE bank_id = $1 AND unique_id = $2"

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(bankId, uniqueId)
    }
}

extension CardholderRecord: PostgresRowDecodable {
    static let selection: SQLText = """
        SELECT unique_id, status, channels, definition, accessibility, code_mac IS NOT NULL, authentication_failures,
            sealed_pin IS NOT NULL, pin_version, pin_expires_at, delivered_at, unconfirmed_fetches,
            sealed_free_field IS NOT NULL, chosen.event_id, chosen.state, chosen.reason, chosen.stated_at,
            version, created_at, updated_at
        FROM cardholder LEFT JOIN LATERAL (
            SELECT event_id, state, reason, stated_at FROM chosen_pin
            WHERE chosen_pin.bank_id = cardholder.bank_id AND chosen_pin.unique_id = cardholder.unique_id
                AND chosen_pin.pin_serial = cardholder.pin_serial
        ) AS chosen ON true
        """

    init(_ row: inout PostgresRow) throws(PostgresError) {
        self.init(
            uniqueId: try row.next(), status: try row.next(),
            channels: try row.next(as: [String].self).compactMap(Channel.init(rawValue:)),
            definition: try row.next(), accessibility: try row.next(), hasAuthenticationCode: try row.next(),
            authenticationFailures: try row.next(), hasPIN: try row.next(), pinVersion: try row.next(),
            pinExpiresAt: try row.next(), deliveredAt: try row.next(), unconfirmedFetches: try row.next(),
            hasFreeField: try row.next(), definedPIN: try Self.definedPIN(&row), version: try row.next(),
            createdAt: try row.next(),
            updatedAt: try row.next())
    }

    private static func definedPIN(_ row: inout PostgresRow) throws(PostgresError) -> DefinedPINState? {
        let (event, stage): (String?, DefinedPINStage?) = (try row.next(), try row.next())
        let (reason, at): (String?, Timestamp?) = (try row.next(), try row.next())
        guard let event, let stage, let at else { return nil }
        return DefinedPINState(event: event, stage: stage, reason: reason, at: at)
    }
}
