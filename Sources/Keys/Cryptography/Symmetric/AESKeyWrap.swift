internal import COpenSSL
package import SecureMemory

/// AES key wrap (RFC 3394, SP 800-38F KW) with a key-encryption key of 256 bits and the standard initial value.
package enum AESKeyWrap {
    /// The length of the key-encryption key.
    package static let keyByteCount = 32
    /// How much longer the wrapped key is than the key.
    package static let overheadByteCount = 8
    /// The lengths of keys that can be wrapped. A length must also be a multiple of 8.
    package static let wrappableByteCounts = 16...4096

    /// Wraps a key.
    ///
    /// - Throws: `invalidLength` if a length is not allowed, `engineFailure`.
    package static func wrap(
        _ key: borrowing some ByteSource & ~Copyable, with keyEncryptionKey: borrowing some ByteSource & ~Copyable
    ) throws(CryptographyError) -> [UInt8] {
        let count = key.octetCount
        try requireLengths(keyByteCount: count, keyEncryptionKeyByteCount: keyEncryptionKey.octetCount)
        return try key.withOctets { (key, _) throws(CryptographyError) in
            try keyEncryptionKey.withOctets { (keyEncryptionKey, _) throws(CryptographyError) in
                try publicOutput(capacity: count + overheadByteCount, orThrow: .engineFailure) { output, written in
                    process(key, count, keyEncryptionKey, isWrapping: true, into: output, written: &written)
                }
            }
        }
    }

    /// Unwraps a key.
    ///
    /// - Throws: `invalidLength` if a length is not allowed, `authenticationFailed` if the wrapped key was changed or
    ///   was wrapped with another key-encryption key.
    package static func unwrap(
        _ wrapped: borrowing some ByteSource & ~Copyable, with keyEncryptionKey: borrowing some ByteSource & ~Copyable
    ) throws(CryptographyError) -> SecretBytes {
        let count = wrapped.octetCount
        try requireLengths(
            keyByteCount: count - overheadByteCount, keyEncryptionKeyByteCount: keyEncryptionKey.octetCount)
        return try wrapped.withOctets { (wrapped, _) throws(CryptographyError) in
            try keyEncryptionKey.withOctets { (keyEncryptionKey, _) throws(CryptographyError) in
                // OpenSSL needs an output buffer as long as its input.
                try secretOutput(capacity: count, orThrow: .authenticationFailed) { output, written in
                    process(wrapped, count, keyEncryptionKey, isWrapping: false, into: output, written: &written)
                }
            }
        }
    }

    private static func requireLengths(
        keyByteCount count: Int, keyEncryptionKeyByteCount: Int
    ) throws(CryptographyError) {
        guard wrappableByteCounts ~= count, count.isMultiple(of: 8), keyEncryptionKeyByteCount == keyByteCount else {
            throw failure(.invalidLength)
        }
    }

    private static func process(
        _ input: UnsafePointer<UInt8>, _ count: Int, _ keyEncryptionKey: UnsafePointer<UInt8>, isWrapping: Bool,
        into output: UnsafeMutablePointer<UInt8>, written: inout Int
    ) -> Int32 {
        guard let context = EVP_CIPHER_CTX_new() else { return 0 }
        defer { EVP_CIPHER_CTX_free(context) }
        EVP_CIPHER_CTX_set_flags(context, Int32(EVP_CIPHER_CTX_FLAG_WRAP_ALLOW))
        var outputCount: Int32 = 0
        let expected = isWrapping ? count + overheadByteCount : count - overheadByteCount
        let isProcessed =
            EVP_CipherInit_ex2(context, Fetched.aes256Wrap, keyEncryptionKey, nil, isWrapping ? 1 : 0, nil) == 1
            && EVP_CipherUpdate(context, output, &outputCount, input, Int32(count)) == 1
            && Int(outputCount) == expected
        written = expected
        return isProcessed ? 1 : 0
    }
}
