/// A call with an Idempotency-Key.
package struct IdempotentCall: Sendable {
    package let key: String
    /// A MAC of everything that makes it the same call.
    package let mac: [UInt8]
    /// Until when its repetitions get the same answer.
    package let expiresAt: Timestamp

    package init(key: String, mac: [UInt8], expiresAt: Timestamp) {
        self.key = key
        self.mac = mac
        self.expiresAt = expiresAt
    }
}

/// What a call with an Idempotency-Key did.
package struct IdempotentAnswer: Sendable {
    package enum Result: Sendable {
        case written(WrittenCardholder)
        /// The JWE that the bank got.
        case exported(String)
    }

    /// A MAC of the call that was served.
    package let mac: [UInt8]
    package let result: Result

    package init(mac: [UInt8], result: Result) {
        self.mac = mac
        self.result = result
    }
}
