package import CardCompanionModel
internal import PostgresLibPQ

/// What one batch of housekeeping did.
package struct RemovedBatch: Sendable, Equatable {
    /// How many rows were removed. For ``ExpiredKind/pins``: how many PINs were erased. For
    /// ``ExpiredKind/certificates`` and ``ExpiredKind/revocationLists``: how many events were written.
    package let removed: Int
    /// Whether there may be more.
    package let isFull: Bool
}

extension Store {
    /// Removes what has expired, at most `limit` rows. Rows that another server has locked are skipped.
    ///
    /// - Parameter time: now; for import lines, events and server keys, the time before which they are too old.
    package func removeExpired(
        _ kind: ExpiredKind, before time: Timestamp, limit: Int
    ) async throws(StoreError) -> RemovedBatch {
        let rowLimit = Int32(clamping: limit)
        switch kind {
        case .pins:
            let counts = try await statements.executeForOneRow(EraseExpiredPINs(time: time, limit: rowLimit))
            return RemovedBatch(removed: counts.erased, isFull: counts.due >= limit)
        case .sessions: return try await remove(DeleteExpiredSessions(time: time, limit: rowLimit))
        case .proofs: return try await remove(DeleteExpiredProofs(time: time, limit: rowLimit))
        case .answers: return try await remove(DeleteExpiredAnswers(time: time, limit: rowLimit))
        case .importLines: return try await remove(DeleteStagedLines(time: time, limit: rowLimit))
        case .events: return try await remove(DeleteOldEvents(time: time, limit: rowLimit))
        case .keyImports: return try await remove(DeleteExpiredKeyImports(time: time, limit: rowLimit))
        case .proposedChanges: return try await remove(DeleteExpiredChanges(time: time, limit: rowLimit))
        case .identityChecks: return try await remove(DeleteExpiredChecks(time: time, limit: rowLimit))
        case .identityPasses: return try await remove(DeleteExpiredPasses(time: time, limit: rowLimit))
        case .serverKeys: return try await remove(EraseRetiredKeys(time: time, limit: rowLimit))
        case .certificates: return try await remove(ReportExpiringCertificates(time: time, limit: rowLimit))
        case .revocationLists: return try await remove(ReportExpiringLists(time: time, limit: rowLimit))
        }
    }

    private func remove(_ removal: some Removal & PostgresCommand) async throws(StoreError) -> RemovedBatch {
        let count = try await statements.execute(removal)
        return RemovedBatch(removed: count, isFull: count >= Int(removal.limit))
    }
}

private struct EraseExpiredPINs: Removal {
    let time: Timestamp
    let limit: Int32

    static let sql = """
        WITH due AS (
            -- Rows that anybody has locked are passed over: so this waits for nobody, and cannot deadlock.
            SELECT expiry.bank_id, expiry.unique_id, expiry.expires_at
            FROM pin_expiry AS expiry JOIN cardholder USING (bank_id, unique_id)
            WHERE expiry.expires_at <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED
        ), looked_at AS (
            DELETE FROM pin_expiry AS expiry USING due
            WHERE (expiry.bank_id, expiry.unique_id, expiry.expires_at) = (due.bank_id, due.unique_id, due.expires_at)
        ), erased AS (
            UPDATE cardholder SET
                sealed_pin = NULL, pin_expires_at = NULL, version = nextval('cardholder_version'), updated_at = $1
            FROM due
            WHERE (cardholder.bank_id, cardholder.unique_id) = (due.bank_id, due.unique_id) AND pin_expires_at <= $1
            RETURNING cardholder.bank_id, cardholder.unique_id
        ), reported AS (
            INSERT INTO event (bank_id, unique_id, type, data, occurred_at)
            SELECT bank_id, unique_id, 'pin.expired', '{}', $1 FROM erased
        )
        SELECT (SELECT count(*) FROM due), (SELECT count(*) FROM erased),
            CASE WHEN EXISTS (SELECT FROM erased) THEN append_audit(
                p_now => $1, p_operation => 'housekeeping', p_outcome => 'erased undelivered PINs', p_bank_id => NULL,
                p_subject => NULL, p_actor => 'server', p_detail => (SELECT count(*) FROM erased) || ' PINs') END
        """

    static func decode(_ row: inout PostgresRow) throws(PostgresError) -> (due: Int, erased: Int) {
        (try row.decode(0), try row.decode(1))
    }
}

private struct DeleteExpiredSessions: Removal, PostgresCommand {
    let time: Timestamp
    let limit: Int32

    static let sql = """
        WITH due AS (
            -- The cardholder is locked too, so that their events have one order.
            SELECT session.* FROM delivery_session AS session JOIN cardholder USING (bank_id, unique_id)
            WHERE session.expires_at <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED
        ), reported AS (
            INSERT INTO event (bank_id, unique_id, type, data, occurred_at)
            SELECT bank_id, unique_id, 'pin.delivery-unconfirmed',
                jsonb_build_object('sessionId', session_id, 'channel', channel), $1
            FROM due WHERE notified_status IS NULL
        )
        DELETE FROM delivery_session AS session USING due
        WHERE (session.bank_id, session.session_id) = (due.bank_id, due.session_id)
        """
}

private struct DeleteExpiredProofs: Removal, PostgresCommand {
    let time: Timestamp
    let limit: Int32

    static let sql = """
        DELETE FROM spent_proof WHERE (bank_id, kind, digest) IN (
            SELECT bank_id, kind, digest FROM spent_proof WHERE expires_at <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED)
        """
}

private struct DeleteExpiredAnswers: Removal, PostgresCommand {
    let time: Timestamp
    let limit: Int32

    static let sql = """
        DELETE FROM idempotent_answer WHERE (bank_id, idempotency_key) IN (
            SELECT bank_id, idempotency_key FROM idempotent_answer
            WHERE expires_at <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED)
        """
}

private struct DeleteStagedLines: Removal, PostgresCommand {
    let time: Timestamp
    let limit: Int32

    static let sql = """
        DELETE FROM import_line WHERE (bank_id, import_id, line) IN (
            SELECT bank_id, import_id, line FROM import_line
            WHERE staged_at <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED)
        """
}

private struct DeleteOldEvents: Removal, PostgresCommand {
    let time: Timestamp
    let limit: Int32

    static let sql = """
        WITH due AS (
            -- An event that is not acknowledged stays while an older definition is kept: a reader who must go on after it
            -- would miss the definition.
            SELECT bank_id, event_id, position, acknowledged FROM event
            WHERE occurred_at <= $1 AND (acknowledged OR (type <> 'pin.defined' AND NOT EXISTS (
                SELECT FROM event AS kept
                WHERE kept.bank_id = event.bank_id AND kept.type = 'pin.defined' AND NOT kept.acknowledged
                    AND (kept.position < event.position OR (event.position IS NULL
                        AND (kept.position IS NOT NULL OR kept.event_id < event.event_id)))
            )))
            LIMIT $2 FOR UPDATE SKIP LOCKED
        ), lost AS (
            -- An event without a position would have come after all that a reader was given.
            INSERT INTO event_feed AS feed (bank_id, handed_out, lost)
            SELECT bank_id, 0, max(coalesce(position, nextval('event_position')))
            FROM due WHERE NOT acknowledged GROUP BY bank_id ORDER BY bank_id
            ON CONFLICT (bank_id) DO UPDATE SET lost = greatest(feed.lost, excluded.lost)
        )
        DELETE FROM event USING due WHERE (event.bank_id, event.event_id) = (due.bank_id, due.event_id)
        """
}

private struct DeleteExpiredKeyImports: Removal, PostgresCommand {
    let time: Timestamp
    let limit: Int32

    static let sql = """
        DELETE FROM key_import WHERE (bank_id, label) IN (
            SELECT bank_id, label FROM key_import WHERE expires_at <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED)
        """
}

private struct DeleteExpiredChanges: Removal, PostgresCommand {
    let time: Timestamp
    let limit: Int32

    static let sql = """
        DELETE FROM proposed_change WHERE id IN (
            SELECT id FROM proposed_change WHERE expires_at <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED)
        """
}

private struct DeleteExpiredChecks: Removal, PostgresCommand {
    let time: Timestamp
    let limit: Int32

    // A session that has begun in time can go on.
    static let sql = """
        DELETE FROM identity_check WHERE (bank_id, unique_id) IN (
            SELECT bank_id, unique_id FROM identity_check
            WHERE expires_at <= $1 AND (session_ends_at IS NULL OR session_ends_at <= $1)
            LIMIT $2 FOR UPDATE SKIP LOCKED)
        """
}

private struct DeleteExpiredPasses: Removal, PostgresCommand {
    let time: Timestamp
    let limit: Int32

    static let sql = """
        DELETE FROM identity_pass WHERE (bank_id, unique_id) IN (
            SELECT bank_id, unique_id FROM identity_pass WHERE expires_at <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED)
        """
}

private struct EraseRetiredKeys: Removal, PostgresCommand {
    let time: Timestamp
    let limit: Int32

    static let sql = """
        UPDATE server_key SET sealed_key = NULL WHERE key_id IN (
            SELECT key_id FROM server_key
            WHERE status = 'RETIRED' AND retired_at <= $1 AND sealed_key IS NOT NULL LIMIT $2 FOR UPDATE SKIP LOCKED)
        """
}

private struct ReportExpiringCertificates: Removal, PostgresCommand {
    let time: Timestamp
    let limit: Int32

    // A certificate that was imported late gets no event for past days.
    static let sql = """
        WITH due AS (
            SELECT bank_id, alias, purpose, not_after, days FROM (
                SELECT *, CASE
                    WHEN not_after <= $1 + interval '1 day' THEN 1
                    WHEN not_after <= $1 + interval '7 days' THEN 7
                    ELSE 30
                END AS days
                FROM certificate
                WHERE status = 'ACTIVE' AND not_after > $1 AND not_after <= $1 + interval '30 days'
            ) AS expiring
            WHERE noticed_days IS NULL OR days < noticed_days
            LIMIT $2 FOR UPDATE SKIP LOCKED
        ), noticed AS (
            UPDATE certificate SET noticed_days = due.days FROM due
            WHERE (certificate.bank_id, certificate.alias) = (due.bank_id, due.alias)
                AND (noticed_days IS NULL OR due.days < noticed_days)
            RETURNING due.*
        )
        INSERT INTO event (bank_id, type, data, occurred_at)
        SELECT bank_id, 'certificate.expiring', jsonb_build_object(
            'alias', alias, 'use', purpose, 'notAfter', floor(extract(epoch FROM not_after))::bigint, 'days', days), $1
        FROM noticed
        """
}

private struct ReportExpiringLists: Removal, PostgresCommand {
    let time: Timestamp
    let limit: Int32

    static let sql = """
        WITH due AS (
            SELECT bank_id, issuer, next_update, days FROM (
                SELECT *, CASE
                    WHEN next_update <= $1 THEN 0
                    WHEN next_update <= $1 + interval '1 day' THEN 1
                    ELSE 2
                END AS days
                FROM revocation_list WHERE next_update <= $1 + interval '2 days'
            ) AS expiring
            WHERE noticed_days IS NULL OR days < noticed_days
            LIMIT $2 FOR UPDATE SKIP LOCKED
        ), noticed AS (
            UPDATE revocation_list AS list SET noticed_days = due.days FROM due
            WHERE (list.bank_id, list.issuer) = (due.bank_id, due.issuer)
                AND (list.noticed_days IS NULL OR due.days < list.noticed_days)
            RETURNING due.*
        )
        INSERT INTO event (bank_id, type, data, occurred_at)
        SELECT bank_id, 'revocation-list.expiring', jsonb_build_object(
            'issuer', issuer, 'nextUpdate', floor(extract(epoch FROM next_update))::bigint, 'days', days), $1
        FROM noticed
        """
}

private protocol Removal: PostgresStatement {
    var time: Timestamp { get }
    var limit: Int32 { get }
}

extension Removal {
    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(time, limit)
    }
}
