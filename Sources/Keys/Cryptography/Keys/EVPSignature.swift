internal import COpenSSL
internal import SecureMemory

// Signatures with a key of any type. The message is hashed with `digest`; nil if the algorithm has its own hash
// (Ed25519). `configure` sets the other parameters of the algorithm.

extension EVPKey {
    func sign(
        _ message: borrowing some ByteSource & ~Copyable, digest: String?,
        configure: (OpaquePointer?) throws(CryptographyError) -> Void = { (_) throws(CryptographyError) in }
    ) throws(CryptographyError) -> [UInt8] {
        let context = try require(EVP_MD_CTX_new())
        defer { EVP_MD_CTX_free(context) }
        var keyContext: OpaquePointer?  // owned by the digest context
        try require(
            EVP_DigestSignInit_ex(context, &keyContext, digest, nil, nil, pointer, nil), orThrow: .engineFailure)
        try configure(keyContext)
        return try message.withOctets { (bytes, byteCount) throws(CryptographyError) in
            try publicOutput(capacity: outputByteCount, orThrow: .engineFailure) { output, count in
                EVP_DigestSign(context, output, &count, bytes, byteCount)
            }
        }
    }

    func isValid(
        _ signature: borrowing some ByteSource & ~Copyable, for message: borrowing some ByteSource & ~Copyable,
        digest: String?,
        configure: (OpaquePointer?) throws(CryptographyError) -> Void = { (_) throws(CryptographyError) in }
    ) -> Bool {
        guard let context = EVP_MD_CTX_new() else { return false }
        defer { EVP_MD_CTX_free(context) }
        var keyContext: OpaquePointer?  // owned by the digest context
        guard EVP_DigestVerifyInit_ex(context, &keyContext, digest, nil, nil, pointer, nil) == 1,
            (try? configure(keyContext)) != nil
        else {
            ERR_clear_error()
            return false
        }
        let status = signature.withOctets { signature, signatureCount in
            message.withOctets { message, messageCount in
                EVP_DigestVerify(context, signature, signatureCount, message, messageCount)
            }
        }
        ERR_clear_error()
        return status == 1
    }
}

// Signatures of a message whose hash the caller has. `configure` sets the parameters of the algorithm.

extension EVPKey {
    func sign(digest: [UInt8]) throws(CryptographyError) -> [UInt8] {
        let context = try makeContext()
        defer { EVP_PKEY_CTX_free(context) }
        try require(EVP_PKEY_sign_init(context), orThrow: .engineFailure)
        return try publicOutput(capacity: outputByteCount, orThrow: .engineFailure) { output, count in
            EVP_PKEY_sign(context, output, &count, digest, digest.count)
        }
    }

    func isValid(
        _ signature: [UInt8], forDigest digest: [UInt8],
        configure: (OpaquePointer?) throws(CryptographyError) -> Void = { (_) throws(CryptographyError) in }
    ) -> Bool {
        guard let context = try? makeContext() else { return false }
        defer { EVP_PKEY_CTX_free(context) }
        defer { ERR_clear_error() }
        guard EVP_PKEY_verify_init(context) == 1, (try? configure(context)) != nil else { return false }
        return EVP_PKEY_verify(context, signature, signature.count, digest, digest.count) == 1
    }
}
