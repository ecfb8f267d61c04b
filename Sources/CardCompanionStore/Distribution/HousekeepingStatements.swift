public import PostgresLibPQ

/// What one round of housekeeping removed.
public struct HousekeepingResult: Sendable, Equatable {
    /// PINs that were never confirmed in their bank's time.
    public var erasedPINs = 0
    /// Sessions that are over.
    public var sessions = 0
    /// Spent hashMacs whose timestamps have left the window.
    public var hmacs = 0
    /// Keypads that nobody used in time.
    public var keypads = 0
    /// Spent transaction ids that are kept for a time only.
    public var transactions = 0
    /// Nonces of calls that are too old by now.
    public var nonces = 0
    /// Kept answers to calls with an Idempotency-Key.
    public var answers = 0
    /// Staged lines of imports that were never finished.
    public var importLines = 0
    /// Events that are too old to be kept.
    public var events = 0

    /// Whether a kind filled its share, so that there may be more.
    public func isFull(limit: Int) -> Bool {
        [erasedPINs, sessions, hmacs, keypads, transactions, nonces, answers, importLines, events]
            .contains { $0 >= limit }
    }
}

extension Store {
    /// Removes what is over, at most `limit` rows of each kind, passing over what another server is at.
    ///
    /// - Parameters:
    ///   - stagedBefore: lines that were staged before this are of an import that has ended.
    ///   - occurredBefore: events that happened before this are not kept any longer.
    public func removeExpired(
        now: Timestamp, stagedBefore: Timestamp, occurredBefore: Timestamp, limit: Int
    ) async throws(PostgresError) -> HousekeepingResult {
        let limit = Int32(clamping: limit)
        let (nonces, answers, lines, events) = try await client.batch(
            DeleteExpiredNonces(now: now, limit: limit), DeleteExpiredAnswers(now: now, limit: limit),
            DeleteStagedLines(now: stagedBefore, limit: limit), DeleteOldEvents(now: occurredBefore, limit: limit))
        let (pins, sessions, hmacs, keypads, transactions) = try await client.batch(
            EraseExpiredPINs(now: now, limit: limit), DeleteExpiredSessions(now: now, limit: limit),
            DeleteExpiredHMACs(now: now, limit: limit), DeleteExpiredKeypads(now: now, limit: limit),
            DeleteExpiredTransactions(now: now, limit: limit))
        return HousekeepingResult(
            erasedPINs: pins.first ?? 0, sessions: sessions.first ?? 0, hmacs: hmacs.first ?? 0,
            keypads: keypads.first ?? 0, transactions: transactions.first ?? 0, nonces: nonces.first ?? 0,
            answers: answers.first ?? 0, importLines: lines.first ?? 0, events: events.first ?? 0)
    }
}

private struct EraseExpiredPINs: LimitedRemoval {
    let now: Timestamp
    let limit: Int32

    static let sql = """
        WITH due AS (
            SELECT bank_id, unique_id FROM cardholder WHERE pin_expires_at <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED
        ), removed AS (
            UPDATE cardholder SET
                sealed_pin = NULL, pin_expires_at = NULL, updated_at = $1,
                -- Who provisions the same once more wants the PIN back.
                provision_mac = NULL
            FROM due WHERE (cardholder.bank_id, cardholder.unique_id) = (due.bank_id, due.unique_id)
            RETURNING 1
        )
        SELECT count(*) FROM removed
        """
}

private struct DeleteExpiredSessions: LimitedRemoval {
    let now: Timestamp
    let limit: Int32

    static let sql = """
        WITH due AS (
            -- The cardholder as well, so that their events have one order.
            SELECT id FROM delivery_session NATURAL JOIN (SELECT bank_id, unique_id FROM cardholder) AS holder
            WHERE expires_at <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED
        ), removed AS (
            DELETE FROM delivery_session AS session USING due WHERE session.id = due.id RETURNING session.*
        ), told AS (
            INSERT INTO event (bank_id, unique_id, type, data, occurred_at)
            SELECT bank_id, unique_id, 'pin.delivery-unconfirmed',
                jsonb_build_object('sessionId', id, 'channel', channel), $1
            FROM removed WHERE notified_status IS NULL
        )
        SELECT count(*) FROM removed
        """
}

private struct DeleteExpiredHMACs: LimitedRemoval {
    let now: Timestamp
    let limit: Int32

    static let sql = """
        WITH due AS (
            SELECT bank_id, digest FROM spent_hmac WHERE expires_at <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED
        ), removed AS (
            DELETE FROM spent_hmac USING due
            WHERE (spent_hmac.bank_id, spent_hmac.digest) = (due.bank_id, due.digest)
            RETURNING 1
        )
        SELECT count(*) FROM removed
        """
}

private struct DeleteExpiredKeypads: LimitedRemoval {
    let now: Timestamp
    let limit: Int32

    static let sql = """
        WITH due AS (
            SELECT id FROM keypad WHERE expires_at <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED
        ), removed AS (
            DELETE FROM keypad USING due WHERE keypad.id = due.id RETURNING 1
        )
        SELECT count(*) FROM removed
        """
}

private struct DeleteExpiredTransactions: LimitedRemoval {
    let now: Timestamp
    let limit: Int32

    static let sql = """
        WITH due AS (
            SELECT bank_id, service, id_transaction FROM spent_transaction WHERE expires_at <= $1
            LIMIT $2 FOR UPDATE SKIP LOCKED
        ), removed AS (
            DELETE FROM spent_transaction AS spent USING due
            WHERE (spent.bank_id, spent.service, spent.id_transaction) = (due.bank_id, due.service, due.id_transaction)
            RETURNING 1
        )
        SELECT count(*) FROM removed
        """
}

private struct DeleteExpiredNonces: LimitedRemoval {
    let now: Timestamp
    let limit: Int32

    static let sql = """
        WITH due AS (
            SELECT key_id, nonce FROM spent_nonce WHERE expires_at <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED
        ), removed AS (
            DELETE FROM spent_nonce AS spent USING due WHERE (spent.key_id, spent.nonce) = (due.key_id, due.nonce)
            RETURNING 1
        )
        SELECT count(*) FROM removed
        """
}

private struct DeleteExpiredAnswers: LimitedRemoval {
    let now: Timestamp
    let limit: Int32

    static let sql = """
        WITH due AS (
            SELECT bank_id, idempotency_key FROM idempotent_answer WHERE expires_at <= $1
            LIMIT $2 FOR UPDATE SKIP LOCKED
        ), removed AS (
            DELETE FROM idempotent_answer AS answer USING due
            WHERE (answer.bank_id, answer.idempotency_key) = (due.bank_id, due.idempotency_key)
            RETURNING 1
        )
        SELECT count(*) FROM removed
        """
}

private struct DeleteStagedLines: LimitedRemoval {
    let now: Timestamp
    let limit: Int32

    static let sql = """
        WITH due AS (
            SELECT import_id, line FROM import_line WHERE staged_at <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED
        ), removed AS (
            DELETE FROM import_line AS staged USING due WHERE (staged.import_id, staged.line) = (due.import_id, due.line)
            RETURNING 1
        )
        SELECT count(*) FROM removed
        """
}

private struct DeleteOldEvents: LimitedRemoval {
    let now: Timestamp
    let limit: Int32

    static let sql = """
        WITH due AS (
            SELECT id FROM event WHERE occurred_at <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED
        ), removed AS (
            DELETE FROM event USING due WHERE event.id = due.id RETURNING 1
        )
        SELECT count(*) FROM removed
        """
}

private protocol LimitedRemoval: PostgresStatement where Row == Int {
    var now: Timestamp { get }
    var limit: Int32 { get }
}

extension LimitedRemoval {
    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(now)
        parameters.append(limit)
    }

    static func decode(_ row: borrowing PostgresRow) throws(PostgresError) -> Int {
        Int(try row.decode(0, as: Int64.self))
    }
}
