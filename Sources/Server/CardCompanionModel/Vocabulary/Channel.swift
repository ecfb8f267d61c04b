/// A channel on which a PIN is delivered.
package enum Channel: String, CaseIterable, Codable, Sendable {
    /// By authentication code and HMAC.
    case ac = "AC"
    /// By signed token.
    case token = "TOKEN"
}
