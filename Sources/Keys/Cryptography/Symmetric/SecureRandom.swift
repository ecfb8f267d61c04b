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

/// Random numbers from ``SecureRandom``, many at a time. The system's generator makes a system call for each number, and an
/// image needs hundreds.
package struct SecureRandomNumbers: RandomNumberGenerator {
    private static let countAtOnce = 128

    private var numbers: [UInt64] = []

    package init() {}

    package mutating func next() -> UInt64 {
        if numbers.isEmpty {
            let bytes = SecureRandom.bytes(count: Self.countAtOnce * MemoryLayout<UInt64>.size)
            numbers = bytes.withUnsafeBytes { Array($0.bindMemory(to: UInt64.self)) }
        }
        return numbers.removeLast()
    }
}
