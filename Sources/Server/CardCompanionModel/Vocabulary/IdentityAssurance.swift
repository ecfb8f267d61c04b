/// What a document must prove for a pass.
package enum IdentityAssurance: String, CaseIterable, Codable, Sendable {
    /// That its chip is not a copy.
    case chip
    /// That a state has signed it. If its chip can prove more, it must.
    case passive
}
