package import CardCompanionModel
internal import PostgresLibPQ

extension Store {
    /// Gives each active bank the newest seal of the audit trail as an event, unless it has one of this day. A bank gets its first
    /// one a day after it was added.
    ///
    /// - Parameter seal: the event's data, in JSON.
    package func reportAuditSeal(_ seal: String, now: Timestamp) async throws(StoreError) {
        try await statements.execute(
            """
            INSERT INTO event (bank_id, type, data, occurred_at)
            SELECT bank_id, 'audit.sealed', \(seal)::jsonb, \(now) FROM bank
            WHERE status = 'ACTIVE' AND created_at <= \(now) - interval '1 day'
            ON CONFLICT DO NOTHING
            """)
    }

    /// A bank's newest events, the newest first. This does not change what the bank reads next.
    package func newestEvents(
        bankId: Identifier, uniqueId: Identifier?, type: EventType?, limit: Int
    ) async throws(StoreError) -> [ListedEvent] {
        try await statements.rows(
            """
            SELECT public_id, position, event.unique_id, type, occurred_at, acknowledged, webhook_delivery.status
            FROM event LEFT JOIN webhook_delivery USING (bank_id, event_id)
            WHERE bank_id = \(bankId) AND (\(uniqueId) IS NULL OR event.unique_id = \(uniqueId))
                AND (\(type?.rawValue) IS NULL OR type = \(type?.rawValue))
            ORDER BY event_id DESC LIMIT \(limit)
            """)
    }

    /// A bank's events after a position, in order, and the last position of an event that was removed and not acknowledged
    /// (0 if there is none).
    package func events(
        bankId: Identifier, after position: Int64, limit: Int
    ) async throws(StoreError) -> (events: [EventRecord], lost: Int64) {
        // Events are read first, so that one that is removed in between counts as lost.
        let (events, lost) = try await statements.batch(
            ReadEvents(bankId: bankId, position: position, limit: Int32(clamping: limit)),
            SelectLostPosition(bankId: bankId))
        return (events, lost.first ?? 0)
    }

    /// The last position that was given to an event of any bank; 0 if there is none.
    package func lastEventPosition() async throws(StoreError) -> Int64 {
        try await statements.row("SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM event_position")
    }

    /// Marks events up to a position as acknowledged, and erases the sealed PINs in them.
    ///
    /// - Returns: false if no reader was given that position.
    package func acknowledgeEvents(
        bankId: Identifier, upTo position: Int64, audit: AuditNote, now: Timestamp
    ) async throws(StoreError) -> Bool {
        try await statements.executeForOneRow(
            AcknowledgeEvents(bankId: bankId, position: position, audit: audit, now: now))
    }

    /// The event of a webhook delivery.
    package func event(of delivery: LeasedDelivery) async throws(StoreError) -> EventRecord? {
        try await statements.execute(SelectEvent(id: delivery.eventId, bankId: delivery.bankId)).first
    }
}

extension ListedEvent: PostgresRowDecodable {
    init(_ row: inout PostgresRow) throws(PostgresError) {
        self.init(
            id: try row.next(), position: try row.next(), uniqueId: try row.next(), type: try row.next(),
            occurredAt: try row.next(), isAcknowledged: try row.next(), delivery: try row.next())
    }
}

private struct SelectLostPosition: PostgresStatement {
    typealias Row = Int64

    let bankId: Identifier

    static let sql = "SELECT lost FROM event_feed WHERE bank_id = $1"

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(bankId)
    }
}

private struct ReadEvents: PostgresStatement {
    typealias Row = EventRecord

    /// How many events get their positions in one read.
    private static let numberedAtOnce: Int32 = 10_000

    let bankId: Identifier
    let position: Int64
    let limit: Int32

    static let sql = """
        SELECT public_id, position, unique_id, type, data, occurred_at FROM read_events(
            p_bank_id => $1, p_after => $2, p_limit => $3, p_number_limit => $4)
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(bankId, position, limit, Self.numberedAtOnce)
    }
}

private struct AcknowledgeEvents: PostgresStatement {
    typealias Row = Bool

    let bankId: Identifier
    let position: Int64
    let audit: AuditNote
    let now: Timestamp

    static let sql = """
        SELECT is_done, append_audit(
            p_now => $3, p_operation => 'acknowledge-events',
            p_outcome => CASE WHEN is_done THEN 'acknowledged' ELSE 'unknown-position' END, p_bank_id => $1,
            p_subject => NULL, p_actor => $4, p_detail => 'up to ' || $2::bigint)
        FROM acknowledge_events(p_bank_id => $1, p_up_to => $2) AS is_done
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(bankId, position, now, audit.actor)
    }
}

private struct SelectEvent: PostgresStatement {
    typealias Row = EventRecord

    let id: Int64
    let bankId: Identifier

    static let sql = """
        SELECT public_id, position, unique_id, type, event_data(p_event => event), occurred_at
        FROM event WHERE bank_id = $1 AND event_id = $2
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(bankId, id)
    }
}

extension EventRecord: PostgresRowDecodable {
    /// Reads id, position, uniqueId, type, data and time.
    init(_ row: inout PostgresRow) throws(PostgresError) {
        self.init(
            id: try row.next(),
            position: try row.next(),
            uniqueId: try row.next(),
            type: try row.next(),
            data: try row.next(),
            occurredAt: try row.next())
    }
}
