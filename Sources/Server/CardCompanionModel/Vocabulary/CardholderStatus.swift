/// Whether a cardholder can use the service. Only an active one can.
package enum CardholderStatus: String, CaseIterable, Codable, Sendable {
    case active = "ACTIVE"
    case suspended = "SUSPENDED"
    case closed = "CLOSED"
}
