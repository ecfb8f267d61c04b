package import CardCompanionModel
internal import PostgresLibPQ

extension Store {
    /// Does everything of a definition that must be atomic: spends its id, checks the cardholder, spends the keypad, and
    /// replaces the PIN.
    package func definePIN(
        _ definition: AuthorizedDefinition, audit: AuditNote, now: Timestamp
    ) async throws(StoreError) -> DefinitionOutcome {
        try await statements.executeForOneRow(DefinePIN(definition: definition, audit: audit, now: now))
    }
}

extension Store {
    /// Whether a cardholder exists; nil if the bank has changed since it was read. Writes and locks nothing.
    package func cardholderExists(
        bankId: Identifier, bankRevision: Int64, uniqueId: Identifier?
    ) async throws(StoreError) -> Bool? {
        try await statements.execute(
            SelectCardholderExists(bankId: bankId, bankRevision: bankRevision, uniqueId: uniqueId)
        ).first
    }
}

private struct SelectCardholderExists: PostgresStatement {
    typealias Row = Bool

    let bankId: Identifier
    let bankRevision: Int64
    let uniqueId: Identifier?

    static let sql = """
        SELECT EXISTS (SELECT FROM cardholder WHERE bank_id = $1 AND unique_id = $3)
        FROM bank WHERE bank_id = $1 AND revision = $2 AND status = 'ACTIVE'
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(bankId, bankRevision, uniqueId)
    }
}

private struct DefinePIN: PostgresStatement {
    typealias Row = DefinitionOutcome

    let definition: AuthorizedDefinition
    let audit: AuditNote
    let now: Timestamp

    static let sql = """
        SELECT outcome,
            CASE WHEN outcome <> 'stale' THEN append_audit(
                p_now => $1, p_operation => 'define', p_outcome => outcome, p_bank_id => $2, p_subject => $16,
                p_actor => $17, p_detail => $18, p_rows => changed_rows) END,
            CASE WHEN outcome = 'defined' AND $27 THEN queue_forwarded_pin(
                p_now => $1, p_bank_id => $2, p_unique_id => $4, p_event_id => $15, p_subject => $16) END
        FROM define_pin(
            p_now => $1, p_bank_id => $2, p_bank_revision => $3, p_unique_id => $4, p_transaction_digest => $5,
            p_transaction_expires_at => $6, p_hmac_digest => $7, p_hmac_expires_at => $8, p_choice => $9,
            p_keypad_digest => $10, p_keypad_expires_at => $11, p_sealed_pin => $12, p_is_possible => $13,
            p_pin_for_bank => $14, p_event_id => $15, p_retry_limit => $19, p_fetch_limit => $20,
            p_definitions_per_day => $21, p_definition_resets_delivery => $22, p_retention => $23,
            p_undelivered_lifetime_days => $24, p_needs_pass => $25, p_pass_mac => $26)
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(now, definition.bankId, definition.bankRevision, definition.uniqueId)
        switch definition.proof {
        case .token(let transaction, let expiresAt):
            parameters.append(transaction.bytes, expiresAt, [UInt8]?.none, Timestamp?.none)
        case .hmac(let hmac, let expiresAt):
            parameters.append([UInt8]?.none, Timestamp?.none, hmac.bytes, expiresAt)
        }
        let (choice, keypad, pin): (String, AuthorizedDefinition.Keypad?, AuthorizedDefinition.DefinedPIN?) =
            switch definition.choice {
            case .refused: ("refused", nil, nil)
            case .digits(let pin): ("digits", nil, pin)
            case .indexes(let keypad, let pin): ("indexes", keypad, pin)
            }
        parameters.append(
            choice, keypad?.digest.bytes, keypad?.expiresAt, pin?.sealed, definition.isPossible,
            pin?.forBank, pin?.eventId, audit.subject, audit.actor, audit.detail)
        let settings = definition.settings
        parameters.append(
            Int32(clamping: settings.retryLimit), Int32(clamping: settings.fetchLimit),
            Int32(clamping: settings.definitionsPerDay), settings.definitionResetsDelivery, settings.retention,
            Int32(clamping: settings.undeliveredLifetimeDays), settings.identityCheck.isForDefinitions,
            definition.passMAC, settings.forwardDefinedPINs)
    }
}
