internal import PostgresLibPQ

package struct EventRecord: Sendable {
    /// Unique among all events.
    package let id: Int64
    /// The event's place among its bank's events; nil until the first read.
    package let position: Int64?
    package let uniqueId: Identifier
    /// What happened, such as `pin.delivered`.
    package let type: String
    /// A JSON object with the details.
    package let data: String
    package let occurredAt: Timestamp
}

extension Store {
    /// A bank's events after a position, in order.
    package func events(
        bankId: Identifier, after position: Int64, limit: Int
    ) async throws(StoreError) -> [EventRecord] {
        let number = NumberEvents(bankId: bankId, limit: Self.eventsNumberedAtOnce)
        let select = SelectEvents(bankId: bankId, position: position, limit: Int32(clamping: limit))
        return try await statements.batch(number, select).1
    }

    /// The last position that was given to an event of any bank; 0 if there is none.
    package func lastEventPosition() async throws(StoreError) -> Int64 {
        try await statements.executeForOneRow(SelectLastPosition())
    }

    /// How many events get their positions in one read.
    private static let eventsNumberedAtOnce: Int32 = 10_000

    package func event(id: Int64, bankId: Identifier) async throws(StoreError) -> EventRecord? {
        try await statements.execute(SelectEvent(id: id, bankId: bankId)).first
    }
}

private let selectEvent = """
    SELECT event_id, position, unique_id, type,
        (CASE WHEN pin IS NULL THEN data ELSE data || jsonb_build_object('pin', pin) END)::text, occurred_at
    FROM event LEFT JOIN defined_pin USING (bank_id, event_id)
    """

private struct NumberEvents: PostgresStatement {
    let bankId: Identifier
    let limit: Int32

    static let sql = "SELECT number_events(p_bank_id => $1, p_limit => $2)"

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(bankId, limit)
    }
}

private struct SelectLastPosition: PostgresStatement {
    typealias Row = Int64

    static let sql = "SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM event_position"
}

private struct SelectEvents: PostgresStatement {
    typealias Row = EventRecord

    let bankId: Identifier
    let position: Int64
    let limit: Int32

    static let sql = "\(selectEvent) WHERE bank_id = $1 AND position > $2 ORDER BY position LIMIT $3"

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(bankId, position, limit)
    }
}

private struct SelectEvent: PostgresStatement {
    typealias Row = EventRecord

    let id: Int64
    let bankId: Identifier

    static let sql = "\(selectEvent) WHERE bank_id = $1 AND event_id = $2"

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(bankId, id)
    }
}

extension EventRecord: PostgresRowDecodable {
    /// In the order of `selectEvent`.
    init(_ row: borrowing PostgresRow) throws(PostgresError) {
        id = try row.decode(0)
        position = try row.decode(1)
        uniqueId = try row.decode(2)
        type = try row.decode(3)
        data = try row.decode(4)
        occurredAt = try row.decode(5)
    }
}
