internal import COpenSSL
package import SecureMemory

/// The Concat KDF of JOSE's key agreement (RFC 7518 section 4.6.2; SP 800-56A section 5.8.1) with SHA-256.
package enum ConcatKDF {
    /// The greatest length of a derived key.
    package static let keyByteCountLimit = 64

    /// Derives a key.
    ///
    /// - Parameters:
    ///   - sharedSecret: the result of the key agreement.
    ///   - algorithmID: the `alg` (or, for direct agreement, `enc`) that uses the key.
    ///   - partyUInfo: the bytes of `apu`, empty if it is absent.
    ///   - partyVInfo: the bytes of `apv`, empty if it is absent.
    ///   - keyByteCount: the length of the key, 1 to ``keyByteCountLimit``.
    package static func derive(
        sharedSecret: borrowing some ByteSource & ~Copyable, algorithmID: String,
        partyUInfo: borrowing some ByteSource & ~Copyable, partyVInfo: borrowing some ByteSource & ~Copyable,
        keyByteCount: Int
    ) -> SecretBytes {
        precondition(1...keyByteCountLimit ~= keyByteCount, "a derived key must have 1 to \(keyByteCountLimit) bytes")
        let otherInfo =
            lengthAndBytes(Array(algorithmID.utf8)) + lengthAndBytes(partyUInfo.publicCopy())
            + lengthAndBytes(partyVInfo.publicCopy()) + UInt32(keyByteCount * 8).bigEndianBytes
        return sharedSecret.withOctets { secret, secretCount in
            SecretBytes(count: keyByteCount) { output in
                let status = card_companion_single_step_kdf(
                    Fetched.singleStepKDF, secret, secretCount, otherInfo, otherInfo.count,
                    output.bindMemory(to: UInt8.self).baseAddress, output.count)
                mustSucceed(status == 1, "the single-step key derivation")
            }
        }
    }

    private static func lengthAndBytes(_ bytes: [UInt8]) -> [UInt8] {
        UInt32(bytes.count).bigEndianBytes + bytes
    }
}
