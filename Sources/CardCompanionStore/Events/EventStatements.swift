public import PostgresLibPQ

/// What a bank's back-end is to learn.
public struct EventRecord: Sendable {
    /// Its number, which no other event has.
    public let id: Int64
    /// Where it is among its bank's events; nil as long as nobody has read them all.
    public let position: Int64?
    /// The cardholder.
    public let uniqueId: String
    /// What happened, such as `pin.delivered`.
    public let type: String
    /// A JSON object that says more.
    public let data: String
    /// When it happened.
    public let occurredAt: Timestamp
}

extension Store {
    /// A bank's events behind a position, in order.
    public func events(
        bankId: String, after position: Int64, limit: Int
    ) async throws(PostgresError) -> [EventRecord] {
        let number = NumberEvents(bankId: bankId, limit: Self.eventsNumberedAtOnce)
        let select = SelectEvents(bankId: bankId, position: position, limit: Int32(clamping: limit))
        return try await client.batch(number, select).1
    }

    /// The position that an event of any bank was given last; 0 where none was.
    public func lastEventPosition() async throws(PostgresError) -> Int64 {
        try await client.executeForOneRow(SelectLastPosition())
    }

    /// How many events are given their positions by one reading.
    private static let eventsNumberedAtOnce: Int32 = 10_000

    /// The event of that number.
    public func event(id: Int64, bankId: String) async throws(PostgresError) -> EventRecord? {
        try await client.execute(SelectEvent(id: id, bankId: bankId)).first
    }
}

private let eventColumns = "id, position, unique_id, type, data::text, occurred_at"

private struct NumberEvents: PostgresStatement {
    let bankId: String
    let limit: Int32

    static let sql = "SELECT number_events($1, $2)"

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(bankId)
        parameters.append(limit)
    }
}

private struct SelectLastPosition: PostgresStatement {
    static let sql = "SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM event_position"

    static func decode(_ row: borrowing PostgresRow) throws(PostgresError) -> Int64 {
        try row.decode(0, as: Int64.self)
    }
}

private struct SelectEvents: PostgresStatement {
    let bankId: String
    let position: Int64
    let limit: Int32

    static let sql = """
        SELECT \(eventColumns) FROM event WHERE bank_id = $1 AND position > $2 ORDER BY position LIMIT $3
        """

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(bankId)
        parameters.append(position)
        parameters.append(limit)
    }

    static func decode(_ row: borrowing PostgresRow) throws(PostgresError) -> EventRecord {
        try EventRecord(row)
    }
}

private struct SelectEvent: PostgresStatement {
    let id: Int64
    let bankId: String

    static let sql = "SELECT \(eventColumns) FROM event WHERE id = $1 AND bank_id = $2"

    func bind(_ parameters: inout PostgresParameters) {
        parameters.append(id)
        parameters.append(bankId)
    }

    static func decode(_ row: borrowing PostgresRow) throws(PostgresError) -> EventRecord {
        try EventRecord(row)
    }
}

extension EventRecord {
    fileprivate init(_ row: borrowing PostgresRow) throws(PostgresError) {
        id = try row.decode(0, as: Int64.self)
        position = try row.decode(1, as: Int64?.self)
        uniqueId = try row.decode(2, as: String.self)
        type = try row.decode(3, as: String.self)
        data = try row.decode(4, as: String.self)
        occurredAt = try row.decode(5, as: Timestamp.self)
    }
}
