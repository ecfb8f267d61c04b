/// Where a bank's events are sent.
package struct WebhookRecord: Sendable, Equatable {
    package let bankId: Identifier
    package let url: String
    /// Whether the URL may point into a private network.
    package let isPrivate: Bool
    /// Whether a 2xx acknowledges the event.
    package let acknowledges: Bool
    package let status: Activity

    package init(bankId: Identifier, url: String, isPrivate: Bool, acknowledges: Bool, status: Activity) {
        self.bankId = bankId
        self.url = url
        self.isPrivate = isPrivate
        self.acknowledges = acknowledges
        self.status = status
    }
}

/// What is still to be sent to a bank.
package struct WebhookBacklog: Sendable {
    /// How many events wait.
    package let pending: Int
    /// Since when the oldest one waits.
    package let oldestSince: Timestamp?
    package let nextAttemptAt: Timestamp?
    /// The error of the oldest event whose last attempt failed.
    package let lastError: String?
    /// How many events were given up.
    package let parked: Int

    package init(pending: Int, oldestSince: Timestamp?, nextAttemptAt: Timestamp?, lastError: String?, parked: Int) {
        self.pending = pending
        self.oldestSince = oldestSince
        self.nextAttemptAt = nextAttemptAt
        self.lastError = lastError
        self.parked = parked
    }
}

/// An event that was given up after too many days of attempts.
package struct ParkedDelivery: Sendable {
    package let eventId: String
    /// Nil if the event is about the bank.
    package let uniqueId: Identifier?
    package let attempts: Int
    package let lastError: String?

    package init(eventId: String, uniqueId: Identifier?, attempts: Int, lastError: String?) {
        self.eventId = eventId
        self.uniqueId = uniqueId
        self.attempts = attempts
        self.lastError = lastError
    }
}
