internal import Cryptography
package import SecureMemory

/// A value that is equal for two keys with the same effect: keys of Triple DES that differ only in their parity, and HMAC
/// keys that become equal when RFC 2104 pads or hashes them. An identity is derived from its key, and is as secret.
package enum KeyIdentity {
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
