/// Where a master key is.
package enum MasterKeyKind: String, CaseIterable, Codable, Sendable {
    case file
    case token
    /// Its private half is kept by custodians, in components.
    case recovery
}
