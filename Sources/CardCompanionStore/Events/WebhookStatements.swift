public import PostgresLibPQ

/// Where a bank wants to be told of its events.
public struct WebhookRecord: Sendable, Equatable {
    /// The bank.
    public let bankId: String
    /// Where to.
    public let url: String
    /// Whether the URL may lead into a private network.
    public let isPrivate: Bool
    /// Whether it is told.
    public let status: Activity

    /// See the members.
    public init(bankId: String, url: String, isPrivate: Bool, status: Activity) {
        self.bankId = bankId
        self.url = url
        self.isPrivate = isPrivate
        self.status = status
    }
}

/// An event that this server is to tell.
public struct LeasedDelivery: Sendable {
    /// The event's number.
    public let eventId: Int64
    /// How often it was tried, this time included.
    public let attempts: Int
    /// Since when it is to be told.
    public let pendingSince: Timestamp
    /// Until when it is this server's; by that the lease is told from a later one.
    let leasedUntil: Timestamp
}

/// What a bank is yet to be told.
public struct WebhookBacklog: Sendable {
    /// How many events wait.
    public let pending: Int
    /// Since when the oldest of them waits.
    public let oldestSince: Timestamp?
    /// When the next of them is tried.
    public let nextAttemptAt: Timestamp?
    /// What came of the last try of the oldest that was tried in vain.
    public let lastError: String?
    /// How many were tried for too long.
    public let parked: Int
}

/// An event that was tried for too long.
public struct ParkedDelivery: Sendable {
    /// The event's number.
    public let eventId: Int64
    /// The cardholder.
    public let uniqueId: String
    /// How often it was tried.
    public let attempts: Int
    /// What came of the last try.
    public let lastError: String?
}

extension Store {
    /// Sets where a bank is told of its events.
    public func setWebhook(_ webhook: WebhookRecord, now: Timestamp) async throws(PostgresError) {
        _ = try await client.execute(UpsertWebhook(webhook: webhook, now: now))
    }

    /// Where a bank is told of its events.
    public func webhook(bankId: String) async throws(PostgresError) -> WebhookRecord? {
        try await client.execute(SelectWebhook(bankId: bankId)).first
    }

    /// The banks that have events to be told now.
    public func banksWithDueDeliveries(now: Timestamp) async throws(PostgresError) -> [String] {
        try await client.execute(SelectDueBanks(now: now))
    }

    /// Takes some of a bank's due events for this server, of each cardholder only the oldest that is pending.
    public func leaseDeliveries(
        bankId: String, limit: Int, now: Timestamp, leasedUntil: Timestamp
    ) async throws(PostgresError) -> [LeasedDelivery] {
        try await client.execute(
            LeaseDeliveries(bankId: bankId, limit: Int32(clamping: limit), now: now, leasedUntil: leasedUntil))
    }

    /// Notes that the bank has taken an event, unless the lease is not this server's any more.
    public func finish(_ delivery: LeasedDelivery) async throws(PostgresError) {
        _ = try await client.execute(FinishDelivery(delivery: delivery))
    }

    /// Notes that the bank has not taken an event: it is tried again at `nextAttemptAt`, or parked where that is nil;
    /// unless the lease is not this server's any more.
    public func fail(
        _ delivery: LeasedDelivery, nextAttemptAt: Timestamp?, error: String
    ) async throws(PostgresError) {
        _ = try await client.execute(FailDelivery(delivery: delivery, nextAttemptAt: nextAttemptAt, error: error))
    }

    /// What a bank is yet to be told.
    public func backlog(bankId: String) async throws(PostgresError) -> WebhookBacklog {
        try await client.executeForOneRow(SelectBacklog(bankId: bankId))
    }

    /// A bank's parked events, the oldest first.
    public func parkedDeliveries(bankId: String, limit: Int) async throws(PostgresError) -> [ParkedDelivery] {
        try await client.execute(SelectParked(bankId: bankId, limit: Int32(clamping: limit)))
    }

    /// Has events told again: the one of that number, or all parked ones of a bank where it is nil.
    ///
    /// - Returns: how many.
    public func resendDeliveries(
        bankId: String, eventId: Int64?, now: Timestamp
    ) async throws(PostgresError) -> Int {
        try await client.execute(ResendDeliveries(bankId: bankId, eventId: eventId, now: now)).count
    }
}

private struct UpsertWebhook: PostgresStatement {
    let webhook: WebhookRecord
    let now: Timestamp

    static let sql = """
        INSERT INTO webhook (bank_id, url, is_private, status, created_at) VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT (bank_id) DO UPDATE SET
            url = excluded.url, is_private = excluded.is_private, status = excluded.status
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(webhook.bankId)
        parameters.append(webhook.url)
        parameters.append(webhook.isPrivate)
        parameters.append(webhook.status.rawValue)
        parameters.append(now)
    }
}

private struct SelectWebhook: PostgresStatement {
    let bankId: String

    static let sql = "SELECT bank_id, url, is_private, status FROM webhook WHERE bank_id = $1"

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(bankId)
    }

    static func decode(_ row: borrowing PostgresRow) throws(PostgresError) -> WebhookRecord {
        WebhookRecord(
            bankId: try row.decode(0, as: String.self), url: try row.decode(1, as: String.self),
            isPrivate: try row.decode(2, as: Bool.self), status: try row.decode(3))
    }
}

private struct SelectDueBanks: PostgresStatement {
    let now: Timestamp

    static let sql = """
        SELECT bank_id FROM webhook JOIN bank ON bank.id = bank_id
        WHERE webhook.status = 'ACTIVE' AND bank.status = 'ACTIVE' AND EXISTS (
            SELECT FROM webhook_delivery AS delivery
            WHERE delivery.bank_id = webhook.bank_id AND delivery.status = 'PENDING' AND next_attempt_at <= $1
                AND (leased_until IS NULL OR leased_until <= $1)
        )
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(now)
    }

    static func decode(_ row: borrowing PostgresRow) throws(PostgresError) -> String {
        try row.decode(0, as: String.self)
    }
}

private struct LeaseDeliveries: PostgresStatement {
    let bankId: String
    let limit: Int32
    let now: Timestamp
    let leasedUntil: Timestamp

    static let sql = """
        WITH due AS (
            SELECT event_id FROM webhook_delivery AS delivery
            WHERE bank_id = $1 AND status = 'PENDING' AND next_attempt_at <= $2
                AND (leased_until IS NULL OR leased_until <= $2)
                -- One step in an index, whatever the planner believes of how many there are.
                AND event_id = (
                    SELECT min(earlier.event_id) FROM webhook_delivery AS earlier
                    WHERE earlier.bank_id = $1 AND earlier.unique_id = delivery.unique_id AND earlier.status = 'PENDING'
                )
            ORDER BY next_attempt_at LIMIT $3 FOR UPDATE SKIP LOCKED
        )
        UPDATE webhook_delivery AS delivery SET leased_until = $4, attempts = attempts + 1
        FROM due WHERE delivery.event_id = due.event_id
        RETURNING delivery.event_id, delivery.attempts, delivery.pending_since, delivery.leased_until
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(bankId)
        parameters.append(now)
        parameters.append(limit)
        parameters.append(leasedUntil)
    }

    static func decode(_ row: borrowing PostgresRow) throws(PostgresError) -> LeasedDelivery {
        LeasedDelivery(
            eventId: try row.decode(0, as: Int64.self), attempts: Int(try row.decode(1, as: Int32.self)),
            pendingSince: try row.decode(2, as: Timestamp.self), leasedUntil: try row.decode(3, as: Timestamp.self))
    }
}

private struct FinishDelivery: PostgresStatement {
    let delivery: LeasedDelivery

    static let sql = """
        UPDATE webhook_delivery SET status = 'DELIVERED', leased_until = NULL, last_error = NULL
        WHERE event_id = $1 AND status = 'PENDING' AND leased_until = $2
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(delivery.eventId)
        parameters.append(delivery.leasedUntil)
    }
}

private struct FailDelivery: PostgresStatement {
    let delivery: LeasedDelivery
    let nextAttemptAt: Timestamp?
    let error: String

    static let sql = """
        WITH failed AS (
            UPDATE webhook_delivery SET
                status = CASE WHEN $2::timestamptz IS NULL THEN 'PARKED' ELSE 'PENDING' END,
                next_attempt_at = coalesce($2, next_attempt_at), leased_until = NULL, last_error = left($3, 500)
            WHERE event_id = $1 AND status = 'PENDING' AND leased_until = $4
            RETURNING bank_id, unique_id, event_id
        )
        -- What comes behind it waits with it, and is not looked at in vain.
        UPDATE webhook_delivery AS later SET next_attempt_at = greatest(later.next_attempt_at, $2) FROM failed
        WHERE later.bank_id = failed.bank_id AND later.unique_id = failed.unique_id
            AND later.event_id > failed.event_id AND later.status = 'PENDING'
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(delivery.eventId)
        parameters.append(nextAttemptAt)
        parameters.append(error)
        parameters.append(delivery.leasedUntil)
    }
}

private struct SelectBacklog: PostgresStatement {
    let bankId: String

    static let sql = """
        SELECT count(*) FILTER (WHERE status = 'PENDING'), min(pending_since) FILTER (WHERE status = 'PENDING'),
            min(next_attempt_at) FILTER (WHERE status = 'PENDING'),
            (
                SELECT last_error FROM webhook_delivery
                WHERE bank_id = $1 AND status = 'PENDING' AND last_error IS NOT NULL ORDER BY event_id LIMIT 1
            ),
            count(*) FILTER (WHERE status = 'PARKED')
        FROM webhook_delivery WHERE bank_id = $1
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(bankId)
    }

    static func decode(_ row: borrowing PostgresRow) throws(PostgresError) -> WebhookBacklog {
        WebhookBacklog(
            pending: Int(try row.decode(0, as: Int64.self)), oldestSince: try row.decode(1, as: Timestamp?.self),
            nextAttemptAt: try row.decode(2, as: Timestamp?.self), lastError: try row.decode(3, as: String?.self),
            parked: Int(try row.decode(4, as: Int64.self)))
    }
}

private struct SelectParked: PostgresStatement {
    let bankId: String
    let limit: Int32

    static let sql = """
        SELECT event_id, unique_id, attempts, last_error FROM webhook_delivery
        WHERE bank_id = $1 AND status = 'PARKED' ORDER BY event_id LIMIT $2
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(bankId)
        parameters.append(limit)
    }

    static func decode(_ row: borrowing PostgresRow) throws(PostgresError) -> ParkedDelivery {
        ParkedDelivery(
            eventId: try row.decode(0, as: Int64.self), uniqueId: try row.decode(1, as: String.self),
            attempts: Int(try row.decode(2, as: Int32.self)), lastError: try row.decode(3, as: String?.self))
    }
}

private struct ResendDeliveries: PostgresStatement {
    let bankId: String
    let eventId: Int64?
    let now: Timestamp

    static let sql = """
        UPDATE webhook_delivery SET
            status = 'PENDING', attempts = 0, pending_since = $3, next_attempt_at = $3, leased_until = NULL
        WHERE bank_id = $1 AND event_id = coalesce($2, event_id) AND ($2 IS NOT NULL OR status = 'PARKED')
        RETURNING event_id
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(bankId)
        parameters.append(eventId)
        parameters.append(now)
    }

    static func decode(_ row: borrowing PostgresRow) throws(PostgresError) -> Int64 {
        try row.decode(0, as: Int64.self)
    }
}
