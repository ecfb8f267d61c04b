/// What a document must prove for a pass.
package enum IdentityAssurance: String, StoredEnumeration, CaseIterable {
    /// That its chip is no copy.
    case chip
    /// That a state has signed it. Of a chip that can prove more, more is asked.
    case passive
}
