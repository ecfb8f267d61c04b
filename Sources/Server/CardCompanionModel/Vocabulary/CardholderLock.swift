/// What locks a cardholder until an unlock: the counter that has reached the bank's limit.
package enum CardholderLock: String, Sendable {
    /// Too many wrong authentication codes in a row.
    case authenticationFailures
    /// Too many fetches without a confirmed delivery.
    case unconfirmedFetches
}
