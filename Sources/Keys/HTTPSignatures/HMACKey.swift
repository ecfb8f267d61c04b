package import SecureMemory

/// A shared secret for hmac-sha256.
package struct HMACKey: Sendable {
    /// The allowed lengths: at least the length of the hash (RFC 2104 section 3).
    package static let byteCountsAllowed = 32...1024

    let secret: SharedSecret

    /// Takes ownership of the secret.
    ///
    /// - Throws: `invalidKey` for a length outside ``byteCountsAllowed``.
    package init(_ secret: consuming SecretBytes) throws(SignatureError) {
        guard Self.byteCountsAllowed ~= secret.count else { throw SignatureError(.invalidKey(.hmacSHA256)) }
        self.secret = SharedSecret(secret)
    }
}
