package import CardCompanionModel
internal import SecureMemory
internal import StrictJSON

extension EventRecord {
    /// The event as a bank's back-end gets it, from the feed or a webhook, in JSON.
    package func json(bankId: Identifier) -> [UInt8] {
        let json = JSONWriter.object { event in
            event.add("id", id)
            event.add("type", type)
            event.add("bankId", bankId.text)
            if let uniqueId { event.add("uniqueId", uniqueId.text) }
            event.add("occurredAt", occurredAt.seconds)
            event.add("data", json: data)
        }
        return json.withBytes { Array($0) }
    }
}

/// One answer of the feed. It says whose events these are, and after which cursor, because it is signed.
package struct EventPage: Sendable {
    package let bankId: Identifier
    package let after: Int64
    package let events: [EventRecord]
    /// The cursor for the next call.
    package let next: Int64

    package init(bankId: Identifier, after: Int64, events: [EventRecord], next: Int64) {
        self.bankId = bankId
        self.after = after
        self.events = events
        self.next = next
    }

    package var json: [UInt8] {
        let json = JSONWriter.object(capacity: 4096) { page in
            page.add("bankId", bankId.text)
            page.add("after", "\(after)")
            page.add("events", array: { list in for event in events { list.add(json: event.json(bankId: bankId)) } })
            page.add("next", "\(next)")
        }
        return json.withBytes { Array($0) }
    }
}
