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

    /// Whether a kind filled its share, so that there may be more.
    public func isFull(limit: Int) -> Bool {
        max(erasedPINs, sessions, hmacs, keypads, transactions) >= limit
    }
}

extension Store {
    /// Removes what is over, at most `limit` rows of each kind, passing over what another server is at.
    public func removeExpired(
        now: Timestamp, limit: Int
    ) async throws(PostgresError) -> HousekeepingResult {
        let limit = Int32(clamping: limit)
        let (pins, sessions, hmacs, keypads, transactions) = try await client.batch(
            EraseExpiredPINs(now: now, limit: limit), DeleteExpiredSessions(now: now, limit: limit),
            DeleteExpiredHMACs(now: now, limit: limit), DeleteExpiredKeypads(now: now, limit: limit),
            DeleteExpiredTransactions(now: now, limit: limit))
        return HousekeepingResult(
            erasedPINs: pins.first ?? 0, sessions: sessions.first ?? 0, hmacs: hmacs.first ?? 0,
            keypads: keypads.first ?? 0, transactions: transactions.first ?? 0)
    }
}

private struct EraseExpiredPINs: LimitedRemoval {
    let now: Timestamp
    let limit: Int32

    static let sql = """
        WITH due AS (
            SELECT bank_id, unique_id FROM cardholder WHERE pin_expires_at <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED
        ), removed AS (
            UPDATE cardholder SET sealed_pin = NULL, pin_expires_at = NULL, updated_at = $1
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
            SELECT id FROM delivery_session WHERE expires_at <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED
        ), removed AS (
            DELETE FROM delivery_session USING due WHERE delivery_session.id = due.id RETURNING 1
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
