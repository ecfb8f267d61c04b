/// How a definition ended, in the order of the checks.
package enum DefinitionOutcome: String, Codable, Sendable {
    /// The bank has changed since the caller was authenticated. Nothing was written.
    case stale
    /// The choice had been refused before. The token is spent.
    case refused
    case transactionSpent = "transaction-spent"
    case hmacSpent = "hmac-spent"
    case noCardholder = "no-cardholder"
    case statusNotSatisfied = "status-not-satisfied"
    case noKeypad = "no-keypad"
    case badPIN = "bad-pin"
    case defined
}
