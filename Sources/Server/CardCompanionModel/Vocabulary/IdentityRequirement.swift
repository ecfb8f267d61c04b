/// Which requests need a pass: proof that the cardholder's document was verified.
package enum IdentityRequirement: String, CaseIterable, Codable, Sendable {
    case none
    case fetch
    case definition
    case both

    package var isForFetches: Bool { self == .fetch || self == .both }
    package var isForDefinitions: Bool { self == .definition || self == .both }
}
