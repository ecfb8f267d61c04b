package struct EventRecord: Sendable {
    /// Unique among all events.
    package let id: String
    /// The event's place among its bank's events; nil until the first read.
    package let position: Int64?
    /// Nil if the event is about the bank.
    package let uniqueId: Identifier?
    /// What happened, such as `pin.delivered`.
    package let type: String
    /// A JSON object with the details.
    package let data: String
    package let occurredAt: Timestamp

    /// Without position, uniqueId and data: an event that is in no table.
    package init(
        id: String, position: Int64? = nil, uniqueId: Identifier? = nil, type: String, data: String = "{}",
        occurredAt: Timestamp
    ) {
        self.id = id
        self.position = position
        self.uniqueId = uniqueId
        self.type = type
        self.data = data
        self.occurredAt = occurredAt
    }
}

/// An event as an operator sees it: without its data, which can have a sealed PIN.
package struct ListedEvent: Sendable {
    package let id: String
    /// Nil until the bank reads its events.
    package let position: Int64?
    package let uniqueId: Identifier?
    package let type: String
    package let occurredAt: Timestamp
    package let isAcknowledged: Bool
    /// `PENDING`, `DELIVERED` or `PARKED`; nil if no webhook gets it.
    package let delivery: String?

    package init(
        id: String, position: Int64?, uniqueId: Identifier?, type: String, occurredAt: Timestamp, isAcknowledged: Bool,
        delivery: String?
    ) {
        self.id = id
        self.position = position
        self.uniqueId = uniqueId
        self.type = type
        self.occurredAt = occurredAt
        self.isAcknowledged = isAcknowledged
        self.delivery = delivery
    }
}
