package import CardCompanionModel
internal import PostgresLibPQ

/// An event that this server must send.
package struct LeasedDelivery: Sendable {
    package let bankId: Identifier
    let eventId: Int64
    /// How many attempts, including this one.
    package let attempts: Int
    package let pendingSince: Timestamp
    /// Until when the delivery belongs to this server. It identifies the lease.
    let leasedUntil: Timestamp
}

extension Store {
    package func setWebhook(_ webhook: WebhookRecord, now: Timestamp) async throws(StoreError) {
        try await statements.execute(
            """
            INSERT INTO webhook (\(sql: WebhookRecord.columns), created_at)
            VALUES (\(webhook.bankId, webhook.url, webhook.isPrivate, webhook.acknowledges, webhook.status, now))
            ON CONFLICT (bank_id) DO UPDATE SET
                url = excluded.url, is_private = excluded.is_private, acknowledges = excluded.acknowledges,
                status = excluded.status
            """)
    }

    package func webhook(bankId: Identifier) async throws(StoreError) -> WebhookRecord? {
        try await statements.firstRow(
            "SELECT \(sql: WebhookRecord.columns) FROM webhook WHERE bank_id = \(bankId)")
    }

    package func banksWithDueDeliveries(now: Timestamp) async throws(StoreError) -> [Identifier] {
        try await statements.execute(SelectDueBanks(now: now))
    }

    /// Leases some of a bank's due events to this server: of each cardholder only the oldest pending one.
    package func leaseDeliveries(
        bankId: Identifier, limit: Int, now: Timestamp, leasedUntil: Timestamp
    ) async throws(StoreError) -> [LeasedDelivery] {
        try await statements.execute(
            LeaseDeliveries(bankId: bankId, limit: Int32(clamping: limit), now: now, leasedUntil: leasedUntil))
    }

    /// Records that the bank has accepted an event, unless the lease has passed to another server. If that acknowledges the event,
    /// the audit trail says so.
    package func finish(_ delivery: LeasedDelivery, now: Timestamp) async throws(StoreError) {
        _ = try await statements.execute(FinishDelivery(delivery: delivery, now: now))
    }

    /// Records a failed attempt, unless the lease has passed to another server. The event is sent again at
    /// `nextAttemptAt`, or parked if that is nil.
    package func fail(
        _ delivery: LeasedDelivery, nextAttemptAt: Timestamp?, error: String
    ) async throws(StoreError) {
        _ = try await statements.execute(FailDelivery(delivery: delivery, nextAttemptAt: nextAttemptAt, error: error))
    }

    /// What is still to be sent to a bank.
    package func backlog(bankId: Identifier) async throws(StoreError) -> WebhookBacklog {
        try await statements.row(
            """
            SELECT count(*) FILTER (WHERE status = 'PENDING'), min(pending_since) FILTER (WHERE status = 'PENDING'),
                min(next_attempt_at) FILTER (WHERE status = 'PENDING'),
                (
                    SELECT last_error FROM webhook_delivery
                    WHERE bank_id = \(bankId) AND status = 'PENDING' AND last_error IS NOT NULL ORDER BY event_id LIMIT 1
                ),
                count(*) FILTER (WHERE status = 'PARKED')
            FROM webhook_delivery WHERE bank_id = \(bankId)
            """)
    }

    /// A bank's parked events, the oldest first.
    package func parkedDeliveries(bankId: Identifier, limit: Int) async throws(StoreError) -> [ParkedDelivery] {
        try await statements.rows(
            """
            SELECT public_id, nullif(delivery.unique_id, ''), attempts, last_error
            FROM webhook_delivery AS delivery JOIN event USING (bank_id, event_id)
            WHERE bank_id = \(bankId) AND status = 'PARKED' ORDER BY event_id LIMIT \(limit)
            """)
    }

    /// Sends events again: one, or all parked ones of a bank if `eventId` is nil.
    ///
    /// - Returns: how many.
    package func resendDeliveries(
        bankId: Identifier, eventId: String?, now: Timestamp
    ) async throws(StoreError) -> Int {
        try await statements.execute(
            """
            UPDATE webhook_delivery AS delivery SET
                status = 'PENDING', attempts = 0, pending_since = \(now), next_attempt_at = \(now), leased_until = NULL
            FROM event
            WHERE delivery.bank_id = \(bankId) AND (event.bank_id, event.event_id) = (delivery.bank_id, delivery.event_id)
                AND public_id = coalesce(\(eventId), public_id) AND (\(eventId) IS NOT NULL OR delivery.status = 'PARKED')
            """)
    }
}

extension WebhookRecord: PostgresRowDecodable {
    static let columns: SQLText = "bank_id, url, is_private, acknowledges, status"

    init(_ row: inout PostgresRow) throws(PostgresError) {
        self.init(
            bankId: try row.next(), url: try row.next(), isPrivate: try row.next(), acknowledges: try row.next(),
            status: try row.next())
    }
}

private struct SelectDueBanks: PostgresStatement {
    typealias Row = Identifier

    let now: Timestamp

    static let sql = """
        SELECT bank_id FROM webhook JOIN bank USING (bank_id)
        WHERE webhook.status = 'ACTIVE' AND bank.status = 'ACTIVE' AND EXISTS (
            SELECT FROM webhook_delivery AS delivery
            WHERE delivery.bank_id = webhook.bank_id AND delivery.status = 'PENDING' AND next_attempt_at <= $1
                AND (leased_until IS NULL OR leased_until <= $1)
        )
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(now)
    }
}

private struct LeaseDeliveries: PostgresStatement {
    let bankId: Identifier
    let limit: Int32
    let now: Timestamp
    let leasedUntil: Timestamp

    static let sql = """
        WITH due AS (
            SELECT event_id FROM webhook_delivery AS delivery
            WHERE bank_id = $1 AND status = 'PENDING' AND next_attempt_at <= $2
                AND (leased_until IS NULL OR leased_until <= $2)
                -- One step in an index, whatever the planner estimates.
                AND event_id = (
                    SELECT min(earlier.event_id) FROM webhook_delivery AS earlier
                    WHERE earlier.bank_id = $1 AND earlier.unique_id = delivery.unique_id AND earlier.status = 'PENDING'
                )
            ORDER BY next_attempt_at LIMIT $3 FOR UPDATE SKIP LOCKED
        )
        UPDATE webhook_delivery AS delivery SET leased_until = $4, attempts = attempts + 1
        FROM due WHERE delivery.bank_id = $1 AND delivery.event_id = due.event_id
        RETURNING delivery.bank_id, delivery.event_id, delivery.attempts, delivery.pending_since, delivery.leased_until
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(bankId, now, limit, leasedUntil)
    }

    static func decode(_ row: inout PostgresRow) throws(PostgresError) -> LeasedDelivery {
        LeasedDelivery(
            bankId: try row.next(), eventId: try row.next(), attempts: try row.next(),
            pendingSince: try row.next(), leasedUntil: try row.next())
    }
}

private struct FinishDelivery: PostgresStatement {
    let delivery: LeasedDelivery
    let now: Timestamp

    typealias Row = Void

    static let sql = """
        WITH delivered AS (
            UPDATE webhook_delivery SET status = 'DELIVERED', leased_until = NULL, last_error = NULL
            WHERE bank_id = $1 AND event_id = $2 AND status = 'PENDING' AND leased_until = $3
            RETURNING event_id
        ), acknowledged AS (
            UPDATE event SET acknowledged = true FROM delivered, webhook
            WHERE event.bank_id = $1 AND event.event_id = delivered.event_id
                AND webhook.bank_id = $1 AND webhook.acknowledges AND NOT event.acknowledged
            RETURNING event.event_id, event.public_id
        ), erased AS (
            DELETE FROM defined_pin USING acknowledged
            WHERE defined_pin.bank_id = $1 AND defined_pin.event_id = acknowledged.event_id
        )
        SELECT append_audit(
            p_now => $4, p_operation => 'acknowledge-events', p_outcome => 'acknowledged', p_bank_id => $1,
            p_subject => NULL, p_actor => 'webhook', p_detail => 'event ' || public_id)
        FROM acknowledged
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(delivery.bankId, delivery.eventId, delivery.leasedUntil, now)
    }
}

private struct FailDelivery: PostgresCommand {
    let delivery: LeasedDelivery
    let nextAttemptAt: Timestamp?
    let error: String

    static let sql = """
        WITH failed AS (
            UPDATE webhook_delivery SET
                status = CASE WHEN $2::timestamptz IS NULL THEN 'PARKED' ELSE 'PENDING' END,
                next_attempt_at = coalesce($2, next_attempt_at), leased_until = NULL, last_error = left($3, 500)
            WHERE bank_id = $5 AND event_id = $1 AND status = 'PENDING' AND leased_until = $4
            RETURNING bank_id, unique_id, event_id
        )
        -- Later events of the cardholder wait for this one.
        UPDATE webhook_delivery AS later SET next_attempt_at = greatest(later.next_attempt_at, $2) FROM failed
        WHERE later.bank_id = failed.bank_id AND later.unique_id = failed.unique_id
            AND later.event_id > failed.event_id AND later.status = 'PENDING'
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(delivery.eventId, nextAttemptAt, error, delivery.leasedUntil, delivery.bankId)
    }
}

extension WebhookBacklog: PostgresRowDecodable {
    init(_ row: inout PostgresRow) throws(PostgresError) {
        self.init(
            pending: try row.next(), oldestSince: try row.next(), nextAttemptAt: try row.next(),
            lastError: try row.next(), parked: try row.next())
    }
}

extension ParkedDelivery: PostgresRowDecodable {
    init(_ row: inout PostgresRow) throws(PostgresError) {
        self.init(
            eventId: try row.next(), uniqueId: try row.next(), attempts: try row.next(), lastError: try row.next())
    }
}
