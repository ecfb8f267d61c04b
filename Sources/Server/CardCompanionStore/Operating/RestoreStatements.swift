package import CardCompanionModel
internal import PostgresLibPQ

extension Store {
    /// Prepares a restored database for use, in one transaction. Numbers that banks may have seen are not given again. Events
    /// that a bank has not acknowledged get new positions. Older cursors are answered that events are lost. Older requests
    /// are refused. Passes and checks of documents are removed, because they may have been used.
    ///
    /// - Parameter skipped: how many numbers are skipped: more than were given since the backup.
    package func passRestore(skipping skipped: Int64, now: Timestamp) async throws(StoreError) {
        let work = AuditNote.ofWork
        _ = try await statements.batch(
            PostgresQuery(
                """
                SELECT setval('event_position', nextval('event_position') + \(skipped)),
                    setval('cardholder_version', nextval('cardholder_version') + \(skipped))
                """),
            PostgresQuery("UPDATE event SET position = NULL WHERE NOT acknowledged AND position IS NOT NULL"),
            PostgresQuery(
                """
                INSERT INTO event_feed (bank_id, handed_out, lost)
                SELECT bank_id, last_value, last_value FROM bank, event_position
                ON CONFLICT (bank_id) DO UPDATE SET handed_out = excluded.handed_out, lost = excluded.lost
                """),
            PostgresQuery("UPDATE bank SET requests_from = \(now)"),
            PostgresQuery(
                """
                WITH removed AS (DELETE FROM identity_pass RETURNING removed_pass(p_row => identity_pass) AS change)
                SELECT append_audit(
                    p_now => \(now), p_operation => \(work.operation), p_outcome => \(AuditWords.word(for: "passRestore")), p_bank_id => NULL,
                    p_subject => NULL, p_actor => \(work.actor), p_detail => count(*) || ' passes',
                    p_rows => string_agg(change, ''))
                FROM removed HAVING count(*) > 0
                """),
            PostgresQuery("DELETE FROM identity_check"))
    }

    /// Erases PINs, and their codes, that may have been delivered before the database was restored. The bank, which erases
    /// delivered PINs, gets events.
    ///
    /// - Parameter uniqueIds: whose PINs; nil for those of any cardholders, at most `limit`.
    /// - Returns: how many.
    package func eraseRestoredPINs(
        bankId: Identifier, uniqueIds: [String]?, limit: Int, now: Timestamp
    ) async throws(StoreError) -> Int {
        let work = AuditNote.ofWork
        return try await statements.row(
            """
            WITH due AS (
                SELECT bank_id, unique_id, cardholder AS before FROM cardholder WHERE bank_id = \(bankId) AND sealed_pin IS NOT NULL
                    AND (\(uniqueIds)::text[] IS NULL OR unique_id = ANY (\(uniqueIds))) LIMIT \(limit)
                FOR UPDATE
            ), erased AS (
                UPDATE cardholder SET
                    sealed_pin = NULL, pin_expires_at = NULL, code_mac = NULL, version = nextval('cardholder_version'),
                    updated_at = \(now), changes = changes + 1
                FROM due WHERE (cardholder.bank_id, cardholder.unique_id) = (due.bank_id, due.unique_id)
                RETURNING cardholder.bank_id, cardholder.unique_id,
                    changed_cardholder(p_before => due.before, p_after => cardholder) AS change
            ), reported AS (
                INSERT INTO event (bank_id, unique_id, type, data, occurred_at)
                SELECT bank_id, unique_id, 'pin.expired', '{}', \(now) FROM erased
            ), forgotten AS (
                UPDATE delivery_session SET token_mac = NULL FROM erased
                WHERE (delivery_session.bank_id, delivery_session.unique_id) = (erased.bank_id, erased.unique_id)
                    AND token_mac IS NOT NULL
            )
            SELECT (SELECT count(*) FROM erased),
                CASE WHEN EXISTS (SELECT FROM erased) THEN append_audit(
                    p_now => \(now), p_operation => \(work.operation),
                    p_outcome => \(AuditWords.word(for: "eraseRestoredPINs")), p_bank_id => \(bankId), p_subject => NULL,
                    p_actor => \(work.actor), p_detail => (SELECT count(*) FROM erased) || ' PINs',
                    p_rows => (SELECT string_agg(change, '') FROM erased)) END
            """)
    }
}
