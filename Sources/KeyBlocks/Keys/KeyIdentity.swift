internal import Cryptography
package import SecureMemory

/// What is the same for two keys that compute the same: keys of Triple DES that differ only in their parity, and HMAC keys
/// that RFC 2104 fills with zeros or hashes. An identity is derived from its key, and as secret.
package enum KeyIdentity {
    /// The identity of a key.
    package static func identity(of key: borrowing SecretBytes, _ algorithm: KeyAlgorithm) -> SecretBytes {
        algorithm == .tripleDES
            ? HMACSHA256.derivedKey(for: [UInt8](), key: key.withOddParity())
            : HMACSHA256.derivedKey(for: [UInt8](), key: key)
    }

    /// The identities that the same bytes have as a key of any algorithm. No two keys may have one in common.
    package static func possibleIdentities(of key: borrowing SecretBytes) -> [SharedSecret] {
        [SharedSecret(identity(of: key, .hmac)), SharedSecret(identity(of: key, .tripleDES))]
    }
}
