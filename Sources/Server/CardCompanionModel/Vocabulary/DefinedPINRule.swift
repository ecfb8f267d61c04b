/// Who has the PIN that a cardholder defines.
package enum DefinedPINRule: String, CaseIterable, Codable, Sendable {
    /// The bank gets it, sealed to its encryption certificate. Without a valid one a definition is refused (code 114).
    case deliver
    /// The store is the authority. The bank gets it only if it has a valid certificate.
    case keep
}
