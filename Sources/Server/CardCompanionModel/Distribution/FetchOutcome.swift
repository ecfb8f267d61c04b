/// Why a fetch is refused, in the order of the checks.
package enum FetchRefusal: String, CaseIterable, Codable, Sendable {
    case transactionSpent = "transaction-spent"
    case hmacSpent = "hmac-spent"
    case noCardholder = "no-cardholder"
    case cardholderOfAnotherBank = "cardholder-of-another-bank"
    case wrongChannel = "wrong-channel"
    case statusNotSatisfied = "status-not-satisfied"
    case limitReached = "limit-reached"
    case codeWithoutForm = "code-without-form"
    case wrongCode = "wrong-code"
    /// A wrong code that locks the cardholder.
    case lockingCode = "wrong-code-locks"
    case noPIN = "no-pin"
}

/// How a fetch ended.
package enum FetchOutcome: Sendable {
    /// The bank has changed since the caller was authenticated. Nothing was written.
    case stale
    case refused(FetchRefusal)
    /// The session is open. PIN and free field are sealed. `locks`: the cardholder is locked until the delivery is confirmed.
    case delivered(sealedPIN: [UInt8], sealedFreeField: [UInt8]?, Accessibility?, locks: Bool)
}
