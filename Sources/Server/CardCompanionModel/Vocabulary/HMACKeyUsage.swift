/// Which hashMacs an HMAC key makes (protocol, section 2.1).
package enum HMACKeyUsage: String, CaseIterable, Codable, Sendable {
    /// For fetches.
    case distribution
    /// For definitions.
    case definition
    /// For fetches and definitions. A hashMac that was handed out for a fetch can then define a PIN.
    case both
}
