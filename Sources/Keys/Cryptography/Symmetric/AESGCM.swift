internal import COpenSSL
package import SecureMemory

/// AES-256 in Galois/counter mode (SP 800-38D). Only keys of 32 bytes, nonces of 12 bytes and tags of 16 bytes.
package enum AESGCM {
    package static let keyByteCount = 32
    package static let nonceByteCount = 12
    package static let tagByteCount = 16

    /// Encrypts and authenticates a plaintext. Never use a nonce twice with the same key.
    ///
    /// - Throws: `invalidLength` for another length of key or nonce, `engineFailure`.
    package static func seal(
        _ plaintext: borrowing some ByteSource & ~Copyable, key: borrowing some ByteSource & ~Copyable,
        nonce: [UInt8], authenticating data: borrowing some ByteSource & ~Copyable
    ) throws(CryptographyError) -> (ciphertext: [UInt8], tag: [UInt8]) {
        let context = try makeContext(key: key, nonce: nonce, data: data, isSealing: true)
        defer { EVP_CIPHER_CTX_free(context) }
        let ciphertext = try plaintext.withOctets { (bytes, count) throws(CryptographyError) in
            try publicOutput(capacity: count, orThrow: .engineFailure) { output, _ in
                process(context, bytes, count, into: output)
            }
        }
        let tag = try publicOutput(capacity: tagByteCount, orThrow: .engineFailure) { output, count in
            EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(count), output)
        }
        return (ciphertext, tag)
    }

    /// Opens what ``seal(_:key:nonce:authenticating:)`` sealed.
    ///
    /// - Throws: `authenticationFailed` if key, nonce, ciphertext, tag and data do not belong together,
    ///   `invalidLength` for another length of key, nonce or tag, `engineFailure`.
    package static func open(
        ciphertext: borrowing some ByteSource & ~Copyable, tag: borrowing some ByteSource & ~Copyable,
        key: borrowing some ByteSource & ~Copyable, nonce: [UInt8],
        authenticating data: borrowing some ByteSource & ~Copyable
    ) throws(CryptographyError) -> SecretBytes {
        let context = try makeContext(key: key, nonce: nonce, data: data, isSealing: false)
        defer { EVP_CIPHER_CTX_free(context) }
        var tag = tag.publicCopy()
        guard tag.count == tagByteCount else { throw failure(.invalidLength) }
        let status = EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(tagByteCount), &tag)
        try require(status, orThrow: .engineFailure)
        return try ciphertext.withOctets { (bytes, count) throws(CryptographyError) in
            try secretOutput(capacity: count, orThrow: .authenticationFailed) { output, _ in
                process(context, bytes, count, into: output)
            }
        }
    }

    /// Seals a value under a random nonce.
    ///
    /// - Returns: nonce (12 bytes), ciphertext, tag (16 bytes).
    /// - Throws: `invalidLength` for another length of the key, `engineFailure`.
    package static func sealBox(
        _ plaintext: borrowing some ByteSource & ~Copyable, key: borrowing some ByteSource & ~Copyable,
        authenticating data: [UInt8]
    ) throws(CryptographyError) -> [UInt8] {
        let nonce = SecureRandom.bytes(count: nonceByteCount)
        let sealed = try seal(plaintext, key: key, nonce: nonce, authenticating: data)
        var box = nonce
        box.reserveCapacity(nonceByteCount + sealed.ciphertext.count + tagByteCount)
        box += sealed.ciphertext
        box += sealed.tag
        return box
    }

    /// Opens what ``sealBox(_:key:authenticating:)`` sealed.
    ///
    /// - Throws: `authenticationFailed`, also if it is too short; `invalidLength` for another length of the key,
    ///   `engineFailure`.
    package static func openBox(
        _ box: ArraySlice<UInt8>, key: borrowing some ByteSource & ~Copyable, authenticating data: [UInt8]
    ) throws(CryptographyError) -> SecretBytes {
        guard box.count >= nonceByteCount + tagByteCount else { throw failure(.authenticationFailed) }
        return try open(
            ciphertext: Array(box.dropFirst(nonceByteCount).dropLast(tagByteCount)),
            tag: Array(box.suffix(tagByteCount)), key: key, nonce: Array(box.prefix(nonceByteCount)),
            authenticating: data)
    }

    private static func makeContext(
        key: borrowing some ByteSource & ~Copyable, nonce: [UInt8],
        data: borrowing some ByteSource & ~Copyable, isSealing: Bool
    ) throws(CryptographyError) -> OpaquePointer {
        guard key.octetCount == keyByteCount, nonce.count == nonceByteCount else { throw failure(.invalidLength) }
        let context = try require(EVP_CIPHER_CTX_new())
        let isReady = key.withOctets { key, _ in
            data.withOctets { data, dataCount in
                var written: Int32 = 0
                return EVP_CipherInit_ex2(context, Fetched.aes256GCM, key, nonce, isSealing ? 1 : 0, nil) == 1
                    && EVP_CipherUpdate(context, nil, &written, data, Int32(dataCount)) == 1
            }
        }
        guard isReady else {
            EVP_CIPHER_CTX_free(context)
            throw failure(.engineFailure)
        }
        return context
    }

    /// Processes the whole message at once. The mode has no padding, so the output is as long as the input.
    private static func process(
        _ context: OpaquePointer, _ input: UnsafePointer<UInt8>, _ count: Int, into output: UnsafeMutablePointer<UInt8>
    ) -> Int32 {
        var written: Int32 = 0
        var last: Int32 = 0
        guard EVP_CipherUpdate(context, output, &written, input, Int32(count)) == 1 else { return 0 }
        return EVP_CipherFinal_ex(context, output + Int(written), &last)
    }
}
