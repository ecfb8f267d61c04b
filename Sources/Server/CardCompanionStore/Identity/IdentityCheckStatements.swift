package import CardCompanionModel
internal import PostgresLibPQ

extension Store {
    /// Adds a check. It replaces the cardholder's present check and pass.
    package func insertIdentityCheck(
        _ check: IdentityCheckRecord, audit: AuditNote
    ) async throws(StoreError) -> NewCheckOutcome {
        let found = try await statements.executeForOneRow(InsertIdentityCheck(check: check, audit: audit))
        return found.hasClient ? (found.hasCardholder ? .created : .noCardholder) : .noClient
    }

    /// Begins a session of an open check.
    ///
    /// - Parameters:
    ///   - sessionId: random.
    ///   - endsAt: when another session can begin, if this server dies.
    /// - Returns: nil if the client has no such check, if it has expired or had ``identitySessionLimit`` sessions, or while another
    ///   session is under way.
    package func beginIdentitySession(
        bankId: Identifier, clientId: String, validation: SpentDigest, sessionId: String, now: Timestamp,
        endsAt: Timestamp
    ) async throws(StoreError) -> IdentitySession? {
        let statement = BeginIdentitySession(
            bankId: bankId, clientId: clientId, validation: validation, sessionId: sessionId, now: now, endsAt: endsAt)
        return try await statements.execute(statement).first.map {
            IdentitySession(
                bankId: bankId, uniqueId: $0.uniqueId, validation: validation, sessionId: sessionId,
                expectationMAC: $0.mac, expectation: $0.expectation)
        }
    }

    /// Ends a session that is still under way. Its check stays open.
    ///
    /// - Parameter outcome: for the audit trail.
    package func endIdentitySession(
        _ session: IdentitySession, outcome: String, audit: AuditNote, now: Timestamp
    ) async throws(StoreError) {
        _ = try await statements.execute(
            EndIdentitySession(session: session, outcome: outcome, audit: audit, now: now))
    }

    /// Gives the cardholder a pass, closes the check, and writes the event, in one transaction.
    ///
    /// - Parameters:
    ///   - data: what the event says: JSON.
    ///   - lifetimeSeconds: how long an unused pass stays valid.
    /// - Returns: false if the session no longer belongs to the check. Nothing was written.
    package func passIdentityCheck(
        _ session: IdentitySession, data: String, lifetimeSeconds: Int, audit: AuditNote, now: Timestamp
    ) async throws(StoreError) -> Bool {
        try await statements.executeForOneRow(
            PassIdentityCheck(
                session: session, data: data, lifetimeSeconds: Int32(clamping: lifetimeSeconds), audit: audit,
                now: now))
    }
}

private struct InsertIdentityCheck: PostgresStatement {
    let check: IdentityCheckRecord
    let audit: AuditNote

    static let sql = """
        WITH client AS (
            SELECT FROM document_client
            WHERE bank_id = $1 AND client_id = $3 AND status = 'ACTIVE' AND NOT is_unbound
        ), holder AS (
            -- Locked, so that it is not closed or removed meanwhile.
            SELECT FROM cardholder WHERE bank_id = $1 AND unique_id = $2 AND status <> 'CLOSED' FOR SHARE
        ), made AS (
            INSERT INTO identity_check (
                bank_id, unique_id, client_id, validation_digest, expectation_mac, expectation, created_at, expires_at)
            SELECT $1, $2, $3, $4, $5, $6, $7, $8 FROM client, holder
            ON CONFLICT (bank_id, unique_id) DO UPDATE SET
                client_id = excluded.client_id, validation_digest = excluded.validation_digest,
                expectation_mac = excluded.expectation_mac, expectation = excluded.expectation,
                created_at = excluded.created_at, expires_at = excluded.expires_at, session_count = 0, session_id = NULL,
                session_ends_at = NULL
            RETURNING bank_id
        ), withdrawn AS (
            -- Whoever asks again does not rely on what was shown before.
            DELETE FROM identity_pass USING made WHERE identity_pass.bank_id = $1 AND unique_id = $2
        )
        SELECT EXISTS (SELECT FROM client), EXISTS (SELECT FROM holder), append_audit(
            p_now => $7, p_operation => 'make identity check',
            p_outcome => CASE WHEN EXISTS (SELECT FROM made) THEN 'created' ELSE 'refused' END, p_bank_id => $1,
            p_subject => $9, p_actor => $10, p_detail => $11)
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(
            check.bankId, check.uniqueId, check.clientId, check.validation.bytes, check.expectationMAC,
            check.expectation, check.createdAt, check.expiresAt)
        parameters.append(audit.subject, audit.actor, audit.detail)
    }

    static func decode(
        _ row: inout PostgresRow
    ) throws(PostgresError) -> (hasClient: Bool, hasCardholder: Bool) {
        (try row.next(), try row.next())
    }
}

private struct BeginIdentitySession: PostgresStatement {
    let bankId: Identifier
    let clientId: String
    let validation: SpentDigest
    let sessionId: String
    let now: Timestamp
    let endsAt: Timestamp

    static let sql = """
        UPDATE identity_check SET session_count = session_count + 1, session_id = $4, session_ends_at = $6
        WHERE bank_id = $1 AND client_id = $2 AND validation_digest = $3 AND expires_at > $5 AND session_count < 5
            AND (session_ends_at IS NULL OR session_ends_at <= $5)
        RETURNING unique_id, expectation_mac, expectation
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(bankId, clientId, validation.bytes, sessionId, now, endsAt)
    }

    static func decode(
        _ row: inout PostgresRow
    ) throws(PostgresError) -> (uniqueId: Identifier, mac: [UInt8], expectation: IdentityExpectation) {
        (try row.next(), try row.next(), try row.next())
    }
}

private struct EndIdentitySession: PostgresCommand {
    let session: IdentitySession
    let outcome: String
    let audit: AuditNote
    let now: Timestamp

    static let sql = """
        WITH ended AS (
            UPDATE identity_check SET session_id = NULL, session_ends_at = NULL
            WHERE bank_id = $1 AND unique_id = $2 AND session_id = $3
            RETURNING bank_id
        )
        SELECT append_audit(
            p_now => $4, p_operation => 'verify document', p_outcome => $5, p_bank_id => bank_id, p_subject => $6,
            p_actor => $7, p_detail => $8)
        FROM ended
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(
            session.bankId, session.uniqueId, session.sessionId, now, outcome, audit.subject, audit.actor, audit.detail)
    }
}

private struct PassIdentityCheck: PostgresStatement {
    typealias Row = Bool

    let session: IdentitySession
    let data: String
    let lifetimeSeconds: Int32
    let audit: AuditNote
    let now: Timestamp

    static let sql = """
        SELECT has_passed, append_audit(
            p_now => $1, p_operation => 'verify document',
            p_outcome => CASE WHEN has_passed THEN 'passed' ELSE 'passed too late' END, p_bank_id => $2, p_subject => $6,
            p_actor => $7, p_detail => $8)
        FROM pass_identity_check(
            p_now => $1, p_bank_id => $2, p_unique_id => $3, p_session_id => $4, p_data => $5::jsonb,
            p_lifetime_seconds => $9) AS has_passed
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(
            now, session.bankId, session.uniqueId, session.sessionId, data, audit.subject, audit.actor, audit.detail,
            lifetimeSeconds)
    }
}
