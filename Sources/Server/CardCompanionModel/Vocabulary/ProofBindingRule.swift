/// Whether a proof, a hashMac or a token, must be bound to the app's key or to the sealed PIN (protocol, section 2.2.1).
package enum ProofBindingRule: String, CaseIterable, Codable, Sendable {
    /// A bound proof must fit its request. A proof can also be unbound.
    case accept
    /// An unbound proof is refused.
    case require
}
