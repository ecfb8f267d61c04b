/// What a data key is for.
package enum DataKeyPurpose: String, StoredEnumeration, CaseIterable {
    /// AES-256-GCM over secrets in rows.
    case seal
    /// HMAC-SHA-256 over authentication codes, tokens and requests.
    case authenticate
    /// Derives the keys of values that are handed out and not stored: keypads.
    case handOut = "hand-out"
}
