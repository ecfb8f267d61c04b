/// The kinds of key that the server publishes.
package enum ServerKeyKind: String, CaseIterable, Codable, Sendable {
    /// RSA-OAEP-256.
    case rsa = "RSA"
    /// ECDH-ES+A256KW on P-256.
    case ec = "EC"
    /// ECDSA on P-256, for what the server signs.
    case signing = "SIGNING"
}
