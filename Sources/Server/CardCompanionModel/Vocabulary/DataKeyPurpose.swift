/// What a data key is for. A key has one purpose, so that a leaked key opens nothing else.
package enum DataKeyPurpose: String, CaseIterable, Codable, Sendable {
    /// AES-256-GCM over PINs.
    case pins
    /// HMAC-SHA-256 over authentication codes, tokens (which contain a code) and the names of sessions.
    case codes
    /// Derives the keys of keypads, which are handed out and not stored.
    case keypads
    /// AES-256-GCM over keys of banks and of the server.
    case keys
    /// AES-256-GCM over the banks' free fields.
    case freeFields = "free-fields"
    /// HMAC-SHA-256 over what is only compared: free fields, keys of banks, calls with an Idempotency-Key.
    case digests
    /// HMAC-SHA-256 over the names of cardholders in the audit trail.
    case audit

    /// The purposes whose values can be sealed again with a newer key.
    package static let sealing: [DataKeyPurpose] = [.pins, .keys, .freeFields]
}
