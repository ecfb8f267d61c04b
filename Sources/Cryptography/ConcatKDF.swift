internal import COpenSSL
public import SecureMemory

/// The Concat KDF of JOSE's key agreement (RFC 7518 section 4.6.2; SP 800-56A section 5.8.1) with SHA-256.
public enum ConcatKDF {
    /// The most bytes that a key may have.
    public static let keyByteCountLimit = 64

    /// Derives a key.
    ///
    /// - Parameters:
    ///   - sharedSecret: what the key agreement gave.
    ///   - algorithmID: the `alg` (or, for direct agreement, `enc`) that the key is for.
    ///   - partyUInfo: the bytes of `apu`, empty where it is absent.
    ///   - partyVInfo: the bytes of `apv`, empty where it is absent.
    ///   - keyByteCount: the key's length, 1 to ``keyByteCountLimit``.
    public static func derive(
        sharedSecret: borrowing some ByteSource & ~Copyable, algorithmID: String,
        partyUInfo: borrowing some ByteSource & ~Copyable, partyVInfo: borrowing some ByteSource & ~Copyable,
        keyByteCount: Int
    ) -> SecretBytes {
        precondition(1...keyByteCountLimit ~= keyByteCount, "a derived key has 1 to \(keyByteCountLimit) bytes")
        let otherInfo =
            lengthAndBytes(Array(algorithmID.utf8)) + lengthAndBytes(partyUInfo.publicCopy())
            + lengthAndBytes(partyVInfo.publicCopy()) + bigEndian(keyByteCount * 8)
        return SecretBytes(count: keyByteCount) { output in
            let isDerived = sharedSecret.withOctets { secret, count in
                singleStep(UnsafeRawBufferPointer(start: secret, count: count), otherInfo, into: output)
            }
            mustSucceed(isDerived, "the single-step key derivation")
        }
    }

    private static func singleStep(
        _ secret: UnsafeRawBufferPointer, _ info: [UInt8], into output: UnsafeMutableRawBufferPointer
    ) -> Bool {
        guard let context = EVP_KDF_CTX_new(Fetched.singleStepKDF), let builder = OSSL_PARAM_BLD_new() else {
            return false
        }
        defer { EVP_KDF_CTX_free(context) }
        defer { OSSL_PARAM_BLD_free(builder) }
        OSSL_PARAM_BLD_push_utf8_string(builder, OSSL_KDF_PARAM_DIGEST, "SHA2-256", 0)
        OSSL_PARAM_BLD_push_octet_ptr(
            builder, OSSL_KDF_PARAM_SECRET, UnsafeMutableRawPointer(mutating: secret.octets), secret.count)
        OSSL_PARAM_BLD_push_octet_string(builder, OSSL_KDF_PARAM_INFO, info, info.count)
        guard let parameters = OSSL_PARAM_BLD_to_param(builder) else { return false }
        defer { OSSL_PARAM_free(parameters) }
        let base = output.bindMemory(to: UInt8.self).baseAddress
        return EVP_KDF_derive(context, base, output.count, parameters) == 1
    }

    private static func lengthAndBytes(_ bytes: [UInt8]) -> [UInt8] {
        bigEndian(bytes.count) + bytes
    }

    private static func bigEndian(_ number: Int) -> [UInt8] {
        withUnsafeBytes(of: UInt32(number).bigEndian) { Array($0) }
    }
}
