package import CardCompanionModel
internal import PostgresLibPQ

extension Store {
    /// Makes a check. It replaces the cardholder's present check, and withdraws the pass.
    package func makeIdentityCheck(
        _ check: IdentityCheckRecord, audit: AuditNote
    ) async throws(StoreError) -> NewCheckOutcome {
        try await statements.executeForOneRow(MakeIdentityCheck(check: check, audit: audit))
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

    /// Ends a session that is still under way, and that has shown no document. Its check stays open.
    ///
    /// - Parameter outcome: for the audit trail.
    package func endIdentitySession(
        _ session: IdentitySession, outcome: String, audit: AuditNote, now: Timestamp
    ) async throws(StoreError) {
        _ = try await statements.execute(
            EndIdentitySession(session: session, outcome: outcome, audit: audit, now: now))
    }

    /// Ends a session that has shown a document and gives no pass, and writes the event, in one transaction. Its check stays open.
    ///
    /// - Parameters:
    ///   - outcome: for the audit trail.
    ///   - data: what the event says: JSON.
    package func failIdentityCheck(
        _ session: IdentitySession, outcome: String, data: String, audit: AuditNote, now: Timestamp
    ) async throws(StoreError) {
        _ = try await statements.execute(
            FailIdentityCheck(session: session, outcome: outcome, data: data, audit: audit, now: now))
    }

    /// Gives the cardholder a pass, closes the check, and writes the event, in one transaction.
    ///
    /// - Parameter data: what the event says: JSON.
    /// - Returns: false if the session no longer belongs to the check. Nothing was written.
    package func passIdentityCheck(
        _ session: IdentitySession, _ pass: IdentityPassRecord, data: String, audit: AuditNote
    ) async throws(StoreError) -> Bool {
        try await statements.executeForOneRow(
            PassIdentityCheck(session: session, pass: pass, data: data, audit: audit))
    }

    /// The cardholder's pass, which may have expired, or be forged.
    package func identityPass(
        bankId: Identifier, uniqueId: Identifier
    ) async throws(StoreError) -> IdentityPassRecord? {
        try await statements.execute(SelectIdentityPass(bankId: bankId, uniqueId: uniqueId)).first
    }
}

private struct MakeIdentityCheck: PostgresStatement {
    let check: IdentityCheckRecord
    let audit: AuditNote

    static let sql = """
        SELECT outcome, append_audit(
            p_now => $7, p_operation => 'make identity check',
            p_outcome => CASE outcome WHEN 'created' THEN outcome ELSE 'refused' END, p_bank_id => $1, p_subject => $9,
            p_actor => $10, p_detail => $11, p_rows => changed_rows)
        FROM make_identity_check(
            p_now => $7, p_bank_id => $1, p_unique_id => $2, p_client_id => $3, p_validation_digest => $4,
            p_expectation_mac => $5, p_expectation => $6, p_expires_at => $8)
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(
            check.bankId, check.uniqueId, check.clientId, check.validation.bytes, check.expectationMAC,
            check.expectation, check.createdAt, check.expiresAt)
        parameters.append(audit.subject, audit.actor, audit.detail)
    }

    static func decode(_ row: inout PostgresRow) throws(PostgresError) -> NewCheckOutcome {
        guard let outcome = NewCheckOutcome(rawValue: try row.next()) else {
            throw PostgresError(.decoding, "unknown outcome of a request for a check")
        }
        return outcome
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

private struct FailIdentityCheck: PostgresCommand {
    let session: IdentitySession
    let outcome: String
    let data: String
    let audit: AuditNote
    let now: Timestamp

    static let sql = """
        SELECT append_audit(
            p_now => $1, p_operation => 'verify document', p_outcome => $6, p_bank_id => $2, p_subject => $7,
            p_actor => $8, p_detail => $9)
        FROM fail_identity_check(
            p_now => $1, p_bank_id => $2, p_unique_id => $3, p_session_id => $4, p_data => $5::jsonb) AS has_ended
        WHERE has_ended
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(
            now, session.bankId, session.uniqueId, session.sessionId, data, outcome, audit.subject, audit.actor)
        parameters.append(audit.detail)
    }
}

private struct PassIdentityCheck: PostgresStatement {
    typealias Row = Bool

    let session: IdentitySession
    let pass: IdentityPassRecord
    let data: String
    let audit: AuditNote

    static let sql = """
        SELECT has_passed, append_audit(
            p_now => $1, p_operation => 'verify document',
            p_outcome => CASE WHEN has_passed THEN 'passed' ELSE 'passed too late' END, p_bank_id => $2, p_subject => $6,
            p_actor => $7, p_detail => $8, p_rows => changed_rows)
        FROM pass_identity_check(
            p_now => $1, p_bank_id => $2, p_unique_id => $3, p_session_id => $4, p_data => $5::jsonb,
            p_validation_digest => $9, p_expires_at => $10, p_mac => $11)
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(
            pass.passedAt, session.bankId, session.uniqueId, session.sessionId, data, audit.subject, audit.actor,
            audit.detail)
        parameters.append(pass.validation.bytes, pass.expiresAt, pass.mac)
    }
}

private struct SelectIdentityPass: PostgresStatement {
    typealias Row = IdentityPassRecord

    let bankId: Identifier
    let uniqueId: Identifier

    static let sql = """
        SELECT validation_digest, passed_at, expires_at, mac FROM identity_pass WHERE bank_id = $1 AND unique_id = $2
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(bankId, uniqueId)
    }
}

extension IdentityPassRecord: PostgresRowDecodable {
    init(_ row: inout PostgresRow) throws(PostgresError) {
        self.init(
            validation: SpentDigest(bytes: try row.next()), passedAt: try row.next(), expiresAt: try row.next(),
            mac: try row.next())
    }
}
