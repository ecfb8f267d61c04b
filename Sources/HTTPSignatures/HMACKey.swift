public import SecureMemory

/// A secret that signer and verifier share, for hmac-sha256.
public struct HMACKey: Sendable {
    /// The lengths that are taken: at least that of the hash (RFC 2104 section 3).
    public static let byteCountsAllowed = 32...1024

    let secret: SharedSecret

    /// Takes the secret over; throws `invalidKey` for lengths outside ``byteCountsAllowed``.
    public init(_ secret: consuming SecretBytes) throws(SignatureError) {
        guard Self.byteCountsAllowed ~= secret.count else { throw SignatureError(.invalidKey(.hmacSHA256)) }
        self.secret = SharedSecret(secret)
    }
}
