/// Whether a bank, a key or a certificate is in use.
package enum Activity: String, Codable, Sendable {
    case active = "ACTIVE"
    case disabled = "DISABLED"
}
