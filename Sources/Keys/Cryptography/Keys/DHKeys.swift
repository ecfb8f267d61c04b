internal import COpenSSL
package import SecureMemory

/// A group for Diffie-Hellman key agreement with numbers (RFC 2631, PKCS #3). The group can come from a stranger. Its sizes
/// are limited, but only a signature shows that it is a good one.
package struct DHGroup: Hashable, Sendable {
    /// The sizes of the prime that this module supports, in bits.
    package static let primeBitsAllowed = 1024...4096
    /// The greatest size of a private number, in bits: twice the strength that the largest group can have, and more.
    package static let privateBitsLimit = 512
    private static let leastPrivateBits = 160

    /// Big-endian, no leading zero.
    package let prime: [UInt8]
    package let generator: [UInt8]
    /// The size of a private number in bits.
    package let privateBitCount: Int

    /// - Parameters:
    ///   - prime, generator: big-endian.
    ///   - privateBitCount: the size of a private number that the group is meant for, such as that of the subgroup's order;
    ///     nil if the group does not say it.
    /// - Throws: `invalidKey` if the prime is even or its size is not allowed, the generator is not between 2 and the prime
    ///   less 2, or private numbers would have fewer than 160 bits.
    package init(prime: [UInt8], generator: [UInt8], privateBitCount: Int?) throws(CryptographyError) {
        let (prime, generator) = (prime.withoutLeadingZeros(), generator.withoutLeadingZeros())
        let bits = prime.bitCount
        guard Self.primeBitsAllowed ~= bits, prime.isOddNumber else { throw failure(.invalidKey) }
        let privateBits = min(privateBitCount ?? bits - 1, Self.privateBitsLimit, bits - 1)
        guard privateBits >= Self.leastPrivateBits, Self.isElement(generator, of: prime) else {
            throw failure(.invalidKey)
        }
        self.prime = prime
        self.generator = generator
        self.privateBitCount = privateBits
    }

    /// Whether a number without leading zeros is between 2 and the prime less 2.
    static func isElement(_ number: some Collection<UInt8>, of prime: [UInt8]) -> Bool {
        var last = prime
        last[last.count - 1] -= 1  // the prime is odd
        guard !number.isEmpty, !number.elementsEqual([1]), number.count <= last.count else { return false }
        return number.count < last.count || number.lexicographicallyPrecedes(last)
    }

    /// base^exponent modulo the prime, at the prime's length, in a time that does not depend on the exponent's bits.
    func power(
        _ base: [UInt8], _ exponent: borrowing some ByteSource & ~Copyable
    ) throws(CryptographyError) -> SecretBytes {
        let context = try require(BN_CTX_secure_new())
        defer { BN_CTX_free(context) }
        let modulus = BN_bin2bn(prime, Int32(prime.count), nil)
        defer { BN_free(modulus) }
        let number = BN_bin2bn(base, Int32(base.count), nil)
        defer { BN_free(number) }
        let (power, result) = (
            exponent.withOctets { BN_bin2bn($0, Int32($1), BN_secure_new()) }, BN_secure_new()
        )
        defer {
            BN_clear_free(power)
            BN_clear_free(result)
        }
        BN_set_flags(power, BN_FLG_CONSTTIME)
        try require(BN_mod_exp_mont_consttime(result, number, power, modulus, context, nil), orThrow: .engineFailure)
        return try secretOutput(capacity: prime.count, orThrow: .engineFailure) { output, count in
            BN_bn2binpad(result, output, Int32(count)) == count ? 1 : 0
        }
    }
}

/// A public number of a ``DHGroup``.
package struct DHPublicKey: Hashable, Sendable {
    package let group: DHGroup
    /// Big-endian, as long as the prime.
    package let number: [UInt8]

    /// - Parameter number: big-endian.
    /// - Throws: `invalidKey` if it is not between 2 and the prime less 2: other numbers give a secret that everyone knows.
    package init(group: DHGroup, number: [UInt8]) throws(CryptographyError) {
        let digits = number.withoutLeadingZeros()
        guard DHGroup.isElement(digits, of: group.prime) else { throw failure(.invalidKey) }
        self.group = group
        self.number = digits.withLeadingZeros(to: group.prime.count)
    }
}

/// A key pair of a ``DHGroup``.
package final class DHPrivateKey: Sendable {
    package let publicKey: DHPublicKey

    private let number: SecretBytes

    /// Makes the pair of a private number, big-endian.
    ///
    /// - Throws: `invalidKey` if its public number is not usable.
    package init(group: DHGroup, number: borrowing some ByteSource & ~Copyable) throws(CryptographyError) {
        publicKey = try DHPublicKey(group: group, number: group.power(group.generator, number).publicCopy())
        self.number = SecretBytes(copying: number)
    }

    /// - Throws: `invalidKey` if the group is so bad that the public number is not usable.
    package static func generate(in group: DHGroup) throws(CryptographyError) -> DHPrivateKey {
        // The first bit is set, so that the number has exactly this size and is not 0.
        let (bits, byteCount) = (group.privateBitCount, (group.privateBitCount + 7) / 8)
        let drawn = SecureRandom.secret(count: byteCount)
        let number = drawn.withBytes { drawn in
            SecretBytes(count: byteCount) { output in
                output.copyMemory(from: drawn)
                let top = UInt8(1) << UInt8((bits - 1) % 8)
                output[0] = output[0] & (top - 1) | top
            }
        }
        return try DHPrivateKey(group: group, number: number)
    }

    /// The shared secret (SP 800-56A section 5.7.1.1) at the prime's length. Do not use it as a key: derive a key from it.
    ///
    /// - Throws: `invalidKey` if the other key is of another group, or the secret is 1 or the prime less 1.
    package func sharedSecret(with peer: DHPublicKey) throws(CryptographyError) -> SecretBytes {
        guard peer.group.prime == publicKey.group.prime else { throw failure(.invalidKey) }
        let secret = try peer.group.power(peer.number, number)
        let isUsable = secret.withBytes { DHGroup.isElement($0.drop { $0 == 0 }, of: peer.group.prime) }
        guard isUsable else { throw failure(.invalidKey) }
        return secret
    }
}
