/// Where a master key is.
package enum MasterKeyKind: String, StoredEnumeration, CaseIterable {
    case file
    case token
    /// Its private half is kept by custodians, in components.
    case recovery
}
