/// Which requests need a pass: proof that the cardholder's document was verified.
package enum IdentityRequirement: String, CaseIterable, Codable, Sendable {
    case none
    case fetch
    case definition
    case both
}
