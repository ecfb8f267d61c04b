package import CardCompanionModel
internal import PostgresLibPQ

extension Store {
    /// Does everything of a fetch that must be atomic: spends its id, counts and checks the code, opens the session.
    package func fetchPIN(
        _ fetch: AuthorizedFetch, audit: AuditNote, now: Timestamp
    ) async throws(StoreError) -> FetchOutcome {
        try await statements.executeForOneRow(FetchPIN(fetch: fetch, audit: audit, now: now))
    }

    /// Takes back a fetch whose PIN could not be sent.
    ///
    /// - Parameter freesTransaction: whether the token's IdTransaction can be used again.
    package func takeBack(
        _ fetch: AuthorizedFetch, freesTransaction: Bool, audit: AuditNote, now: Timestamp
    ) async throws(StoreError) {
        _ = try await statements.execute(
            TakeBackFetch(fetch: fetch, freesTransaction: freesTransaction, audit: audit, now: now))
    }

    /// Does everything of a notify.
    package func notifyDelivery(
        _ notify: ReceivedNotify, audit: AuditNote, now: Timestamp
    ) async throws(StoreError) -> NotifyOutcome {
        try await statements.executeForOneRow(NotifyDelivery(notify: notify, audit: audit, now: now))
    }
}

extension AuthorizedFetch.Proof {
    fileprivate var isReminder: Bool {
        if case .token(let isReminder, _, _) = self { isReminder } else { false }
    }

    fileprivate var transaction: SpentDigest? {
        if case .token(_, let transaction, _) = self { transaction } else { nil }
    }

    fileprivate var tokenMAC: [UInt8]? {
        if case .token(_, _, let mac) = self { mac } else { nil }
    }

    fileprivate var hmac: SpentDigest? {
        if case .hmac(let hmac, _) = self { hmac } else { nil }
    }

    fileprivate var hmacExpiresAt: Timestamp? {
        if case .hmac(_, let expiresAt) = self { expiresAt } else { nil }
    }
}

private struct FetchPIN: PostgresStatement {
    let fetch: AuthorizedFetch
    let audit: AuditNote
    let now: Timestamp

    static let sql = """
        SELECT outcome, sealed_pin, sealed_free_field, accessibility,
            CASE WHEN outcome <> 'stale' THEN append_audit(
                p_now => $1, p_operation => 'fetch', p_bank_id => $2, p_subject => $16,
                -- The lock has an event of its own.
                p_outcome => CASE outcome
                    WHEN 'delivered-locks' THEN 'delivered' WHEN 'wrong-code-locks' THEN 'wrong-code' ELSE outcome
                END,
                p_actor => $17, p_detail => $18, p_rows => changed_rows) END
        FROM fetch_pin(
            p_now => $1, p_bank_id => $2, p_bank_revision => $3, p_unique_id => $4, p_channel => $5,
            p_is_reminder => $6, p_transaction_digest => $7, p_hmac_digest => $8, p_hmac_expires_at => $9,
            p_code_is_checked => $10, p_code_has_form => $11, p_code_macs => $12, p_session_id => $13,
            p_token_mac => $14, p_confirmations => $15, p_session_lifetime_seconds => $19, p_retention => $20,
            p_reminders => $21, p_retry_limit => $22, p_fetch_limit => $23, p_needs_pass => $24,
            p_programme => $25, p_pass_mac => $26)
        """

    func bind(_ parameters: inout PostgresParameters) {
        let (isChecked, hasForm, macs): (Bool, Bool, [[UInt8]]) =
            switch fetch.code {
            case .notRequired: (false, false, [])
            case .withoutForm: (true, false, [])
            case .macs(let macs): (true, true, macs)
            }
        parameters.append(
            now, fetch.bankId, fetch.bankRevision, fetch.uniqueId, fetch.channel, fetch.proof.isReminder,
            fetch.proof.transaction?.bytes, fetch.proof.hmac?.bytes, fetch.proof.hmacExpiresAt, isChecked, hasForm,
            macs, fetch.sessionId, fetch.proof.tokenMAC, fetch.confirmations)
        parameters.append(audit.subject, audit.actor, audit.detail)
        let settings = fetch.settings
        parameters.append(
            Int32(clamping: settings.sessionLifetimeSeconds), settings.retention, settings.reminders,
            Int32(clamping: settings.retryLimit), Int32(clamping: settings.fetchLimit),
            settings.identityCheck.isForFetches, settings.programme, fetch.passMAC)
    }

    static func decode(_ row: inout PostgresRow) throws(PostgresError) -> FetchOutcome {
        let outcome: String = try row.next()
        switch outcome {
        case "stale": return .stale
        case "delivered", "delivered-locks":
            return .delivered(
                sealedPIN: try row.next(), sealedFreeField: try row.next(), try row.next(),
                locks: outcome == "delivered-locks")
        default:
            guard let refusal = FetchRefusal(rawValue: outcome) else {
                throw PostgresError(.decoding, "unknown outcome of a fetch")
            }
            return .refused(refusal)
        }
    }
}

private struct TakeBackFetch: PostgresStatement {
    let fetch: AuthorizedFetch
    let freesTransaction: Bool
    let audit: AuditNote
    let now: Timestamp

    static let sql = """
        SELECT append_audit(
            p_now => $6, p_operation => 'fetch', p_outcome => 'taken-back', p_bank_id => $1, p_subject => $7,
            p_actor => $8, p_detail => $9, p_rows => changed_rows)
        FROM take_back_fetch(
            p_bank_id => $1, p_unique_id => $2, p_session_id => $3, p_transaction_digest => $4, p_hmac_digest => $5)
            AS changed_rows
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(
            fetch.bankId, fetch.uniqueId, fetch.sessionId, freesTransaction ? fetch.proof.transaction?.bytes : nil,
            fetch.proof.hmac?.bytes, now, audit.subject, audit.actor, audit.detail)
    }
}

private struct NotifyDelivery: PostgresStatement {
    typealias Row = NotifyOutcome

    let notify: ReceivedNotify
    let audit: AuditNote
    let now: Timestamp

    static let sql = """
        SELECT outcome,
            CASE WHEN outcome <> 'stale' THEN append_audit(
                p_now => $1, p_operation => 'notify', p_outcome => outcome, p_bank_id => $2, p_subject => $10,
                p_actor => $11, p_detail => $12, p_rows => changed_rows) END
        FROM notify_delivery(
            p_now => $1, p_bank_id => $2, p_bank_revision => $3, p_unique_id => $4, p_session_id => $5,
            p_channel => $6, p_token_macs => $7, p_status => $8, p_confirmation => $9, p_erases => $13,
            p_uses_pass => $14)
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(
            now, notify.bankId, notify.bankRevision, notify.uniqueId, notify.sessionId, notify.channel,
            notify.tokenMACs, Int32(clamping: notify.status), notify.confirmation)
        parameters.append(
            audit.subject, audit.actor, audit.detail, notify.settings.retention == .erase,
            notify.settings.identityCheck.isForFetches)
    }
}
