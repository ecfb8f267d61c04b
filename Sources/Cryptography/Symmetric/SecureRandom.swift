internal import COpenSSL
package import SecureMemory

/// OpenSSL's deterministic random bit generators, seeded by the system (SP 800-90A).
package enum SecureRandom {
    /// Random bytes that are not secret, such as nonces and identifiers.
    package static func bytes(count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { output, written in
            mustSucceed(RAND_bytes_ex(nil, output.baseAddress, count, strengthBits) == 1, "random numbers")
            written = count
        }
    }

    /// Random bytes that are secret, such as keys. OpenSSL has a separate generator for them.
    package static func secret(count: Int) -> SecretBytes {
        SecretBytes(count: count) { output in
            let base = output.bindMemory(to: UInt8.self).baseAddress
            mustSucceed(RAND_priv_bytes_ex(nil, base, count, strengthBits) == 1, "random numbers")
        }
    }

    private static let strengthBits: UInt32 = 256
}
