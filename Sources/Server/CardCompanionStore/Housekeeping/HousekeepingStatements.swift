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
        let query: PostgresQuery
        switch kind {
        case .pins:
            let (due, erased): (Int, Int) = try await statements.row(Self.eraseExpiredPINs(time, limit))
            return RemovedBatch(removed: erased, isFull: due >= limit)
        case .sessions: query = Self.deleteExpiredSessions(time, limit)
        case .proofs: query = Self.deleteExpiredProofs(time, limit)
        case .answers: query = Self.deleteExpiredAnswers(time, limit)
        case .importLines: query = Self.deleteStagedLines(time, limit)
        case .events: query = Self.deleteOldEvents(time, limit)
        case .keyImports: query = Self.deleteExpiredKeyImports(time, limit)
        case .proposedChanges: query = Self.deleteExpiredChanges(time, limit)
        case .identityChecks: query = Self.deleteExpiredChecks(time, limit)
        case .identityPasses:
            let removed: Int = try await statements.row(Self.deleteExpiredPasses(time, limit))
            return RemovedBatch(removed: removed, isFull: removed >= limit)
        case .exportCounts: query = Self.deleteOldExportCounts(time, limit)
        case .serverKeys: query = Self.eraseRetiredKeys(time, limit)
        case .certificates: query = Self.reportExpiringCertificates(time, limit)
        case .revocationLists: query = Self.reportExpiringLists(time, limit)
        }
        let count = try await statements.execute(query)
        return RemovedBatch(removed: count, isFull: count >= limit)
    }
}

// MARK: - Queries

extension Store {
    private static func eraseExpiredPINs(_ time: Timestamp, _ limit: Int) -> PostgresQuery {
        """
        WITH due AS (
            -- Rows that anybody has locked are passed over: so this waits for nobody, and cannot deadlock.
            SELECT expiry.bank_id, expiry.unique_id, expiry.expires_at, cardholder AS before
            FROM pin_expiry AS expiry JOIN cardholder USING (bank_id, unique_id)
            WHERE expiry.expires_at <= \(time) LIMIT \(limit) FOR UPDATE SKIP LOCKED
        ), looked_at AS (
            DELETE FROM pin_expiry AS expiry USING due
            WHERE (expiry.bank_id, expiry.unique_id, expiry.expires_at) = (due.bank_id, due.unique_id, due.expires_at)
        ), erased AS (
            UPDATE cardholder SET
                sealed_pin = NULL, pin_expires_at = NULL, version = nextval('cardholder_version'), updated_at = \(time),
                changes = changes + 1
            FROM due
            WHERE (cardholder.bank_id, cardholder.unique_id) = (due.bank_id, due.unique_id) AND pin_expires_at <= \(time)
            RETURNING cardholder.bank_id, cardholder.unique_id,
                changed_cardholder(p_before => due.before, p_after => cardholder) AS change
        ), reported AS (
            INSERT INTO event (bank_id, unique_id, type, data, occurred_at)
            SELECT bank_id, unique_id, 'pin.expired', '{}', \(time) FROM erased
        )
        SELECT (SELECT count(*) FROM due), (SELECT count(*) FROM erased),
            CASE WHEN EXISTS (SELECT FROM erased) THEN append_audit(
                p_now => \(time), p_operation => 'housekeeping', p_outcome => 'erased undelivered PINs', p_bank_id => NULL,
                p_subject => NULL, p_actor => 'server', p_detail => (SELECT count(*) FROM erased) || ' PINs',
                p_rows => (SELECT string_agg(change, '') FROM erased)) END
        """
    }

    private static func deleteExpiredSessions(_ time: Timestamp, _ limit: Int) -> PostgresQuery {
        """
        WITH due AS (
            -- The cardholder is locked too, so that their events have one order.
            SELECT session.* FROM delivery_session AS session JOIN cardholder USING (bank_id, unique_id)
            WHERE session.expires_at <= \(time) LIMIT \(limit) FOR UPDATE SKIP LOCKED
        ), reported AS (
            INSERT INTO event (bank_id, unique_id, type, data, occurred_at)
            SELECT bank_id, unique_id, 'pin.delivery-unconfirmed',
                jsonb_build_object('sessionId', session_id, 'channel', channel), \(time)
            FROM due WHERE notified_status IS NULL
        )
        DELETE FROM delivery_session AS session USING due
        WHERE (session.bank_id, session.session_id) = (due.bank_id, due.session_id)
        """
    }

    private static func deleteExpiredProofs(_ time: Timestamp, _ limit: Int) -> PostgresQuery {
        """
        DELETE FROM spent_proof WHERE (bank_id, kind, digest) IN (
            SELECT bank_id, kind, digest FROM spent_proof WHERE expires_at <= \(time) LIMIT \(limit) FOR UPDATE SKIP LOCKED)
        """
    }

    private static func deleteExpiredAnswers(_ time: Timestamp, _ limit: Int) -> PostgresQuery {
        """
        DELETE FROM idempotent_answer WHERE (bank_id, idempotency_key) IN (
            SELECT bank_id, idempotency_key FROM idempotent_answer
            WHERE expires_at <= \(time) LIMIT \(limit) FOR UPDATE SKIP LOCKED)
        """
    }

    private static func deleteStagedLines(_ time: Timestamp, _ limit: Int) -> PostgresQuery {
        """
        DELETE FROM import_line WHERE (bank_id, import_id, line) IN (
            SELECT bank_id, import_id, line FROM import_line
            WHERE staged_at <= \(time) LIMIT \(limit) FOR UPDATE SKIP LOCKED)
        """
    }

    private static func deleteOldEvents(_ time: Timestamp, _ limit: Int) -> PostgresQuery {
        """
        WITH due AS (
            -- An event that is not acknowledged stays while an older definition is kept: a reader who must go on after it
            -- would miss the definition.
            SELECT bank_id, event_id, position, acknowledged FROM event
            WHERE occurred_at <= \(time) AND (acknowledged OR (type <> 'pin.defined' AND NOT EXISTS (
                SELECT FROM event AS kept
                WHERE kept.bank_id = event.bank_id AND kept.type = 'pin.defined' AND NOT kept.acknowledged
                    AND (kept.position < event.position OR (event.position IS NULL
                        AND (kept.position IS NOT NULL OR kept.event_id < event.event_id)))
            )))
            LIMIT \(limit) FOR UPDATE SKIP LOCKED
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

    private static func deleteExpiredKeyImports(_ time: Timestamp, _ limit: Int) -> PostgresQuery {
        """
        DELETE FROM key_import WHERE (bank_id, label) IN (
            SELECT bank_id, label FROM key_import WHERE expires_at <= \(time) LIMIT \(limit) FOR UPDATE SKIP LOCKED)
        """
    }

    private static func deleteExpiredChanges(_ time: Timestamp, _ limit: Int) -> PostgresQuery {
        """
        DELETE FROM proposed_change WHERE id IN (
            SELECT id FROM proposed_change WHERE expires_at <= \(time) LIMIT \(limit) FOR UPDATE SKIP LOCKED)
        """
    }

    // A session that has begun in time can go on.
    private static func deleteExpiredChecks(_ time: Timestamp, _ limit: Int) -> PostgresQuery {
        """
        DELETE FROM identity_check WHERE (bank_id, unique_id) IN (
            SELECT bank_id, unique_id FROM identity_check
            WHERE expires_at <= \(time) AND (session_ends_at IS NULL OR session_ends_at <= \(time))
            LIMIT \(limit) FOR UPDATE SKIP LOCKED)
        """
    }

    private static func deleteExpiredPasses(_ time: Timestamp, _ limit: Int) -> PostgresQuery {
        """
        WITH removed AS (
            DELETE FROM identity_pass WHERE (bank_id, unique_id) IN (
                SELECT bank_id, unique_id FROM identity_pass
                WHERE expires_at <= \(time) LIMIT \(limit) FOR UPDATE SKIP LOCKED)
            RETURNING removed_pass(p_row => identity_pass) AS change
        )
        SELECT (SELECT count(*) FROM removed),
            CASE WHEN EXISTS (SELECT FROM removed) THEN append_audit(
                p_now => \(time), p_operation => 'housekeeping', p_outcome => 'removed expired passes', p_bank_id => NULL,
                p_subject => NULL, p_actor => 'server', p_detail => (SELECT count(*) FROM removed) || ' passes',
                p_rows => (SELECT string_agg(change, '') FROM removed)) END
        """
    }

    // Yesterday's stay: the clock of another server can be behind.
    private static func deleteOldExportCounts(_ time: Timestamp, _ limit: Int) -> PostgresQuery {
        """
        DELETE FROM pin_export_count WHERE (bank_id, digest) IN (
            SELECT bank_id, digest FROM pin_export_count
            WHERE day < (\(time) AT TIME ZONE 'UTC')::date - 1 LIMIT \(limit) FOR UPDATE SKIP LOCKED)
        """
    }

    private static func eraseRetiredKeys(_ time: Timestamp, _ limit: Int) -> PostgresQuery {
        """
        UPDATE server_key SET sealed_key = NULL WHERE key_id IN (
            SELECT key_id FROM server_key
            WHERE status = 'RETIRED' AND retired_at <= \(time) AND sealed_key IS NOT NULL LIMIT \(limit) FOR UPDATE SKIP LOCKED)
        """
    }

    // A certificate that was imported late gets no event for past days.
    private static func reportExpiringCertificates(_ time: Timestamp, _ limit: Int) -> PostgresQuery {
        """
        WITH due AS (
            SELECT bank_id, alias, purpose, not_after, days FROM (
                SELECT *, CASE
                    WHEN not_after <= \(time) + interval '1 day' THEN 1
                    WHEN not_after <= \(time) + interval '7 days' THEN 7
                    ELSE 30
                END AS days
                FROM certificate
                WHERE status = 'ACTIVE' AND not_after > \(time) AND not_after <= \(time) + interval '30 days'
            ) AS expiring
            WHERE noticed_days IS NULL OR days < noticed_days
            LIMIT \(limit) FOR UPDATE SKIP LOCKED
        ), noticed AS (
            UPDATE certificate SET noticed_days = due.days FROM due
            WHERE (certificate.bank_id, certificate.alias) = (due.bank_id, due.alias)
                AND (noticed_days IS NULL OR due.days < noticed_days)
            RETURNING due.*
        )
        INSERT INTO event (bank_id, type, data, occurred_at)
        SELECT bank_id, 'certificate.expiring', jsonb_build_object(
            'alias', alias, 'use', purpose, 'notAfter', floor(extract(epoch FROM not_after))::bigint, 'days', days), \(time)
        FROM noticed
        """
    }

    private static func reportExpiringLists(_ time: Timestamp, _ limit: Int) -> PostgresQuery {
        """
        WITH due AS (
            SELECT bank_id, issuer, next_update, days FROM (
                SELECT *, CASE
                    WHEN next_update <= \(time) THEN 0
                    WHEN next_update <= \(time) + interval '1 day' THEN 1
                    ELSE 2
                END AS days
                FROM revocation_list WHERE next_update <= \(time) + interval '2 days'
            ) AS expiring
            WHERE noticed_days IS NULL OR days < noticed_days
            LIMIT \(limit) FOR UPDATE SKIP LOCKED
        ), noticed AS (
            UPDATE revocation_list AS list SET noticed_days = due.days FROM due
            WHERE (list.bank_id, list.issuer) = (due.bank_id, due.issuer)
                AND (list.noticed_days IS NULL OR due.days < list.noticed_days)
            RETURNING due.*
        )
        INSERT INTO event (bank_id, type, data, occurred_at)
        SELECT bank_id, 'revocation-list.expiring', jsonb_build_object(
            'issuer', issuer, 'nextUpdate', floor(extract(epoch FROM next_update))::bigint, 'days', days), \(time)
        FROM noticed
        """
    }
}
