internal import COpenSSL
package import SecureMemory

/// HMAC with SHA-256 (RFC 2104, FIPS 198-1).
package enum HMACSHA256 {
    package static let byteCount = 32

    /// The authentication code of `data`, 32 bytes.
    package static func authenticationCode(
        for data: borrowing some ByteSource & ~Copyable, key: borrowing some ByteSource & ~Copyable
    ) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: byteCount) { output, written in
            write(data, key, to: output.baseAddress)
            written = byteCount
        }
    }

    /// The authentication code of `data` as a key, 32 bytes: HMAC as a pseudorandom function.
    package static func derivedKey(
        for data: borrowing some ByteSource & ~Copyable, key: borrowing some ByteSource & ~Copyable
    ) -> SecretBytes {
        SecretBytes(count: byteCount) { write(data, key, to: $0.bindMemory(to: UInt8.self).baseAddress) }
    }

    /// The authentication codes of several messages with one key.
    package static func authenticationCodes(
        for messages: [[UInt8]], key: borrowing some ByteSource & ~Copyable
    ) -> [[UInt8]] {
        withContext(key) { context in
            messages.map { message in
                [UInt8](unsafeUninitializedCapacity: byteCount) { output, written in
                    // Without a key, the context begins anew with the one that it has.
                    mustSucceed(EVP_MAC_init(context, nil, 0, nil) == 1, "HMAC-SHA-256")
                    finish(context, message, to: output.baseAddress)
                    written = byteCount
                }
            }
        }
    }

    private static func write(
        _ data: borrowing some ByteSource & ~Copyable, _ key: borrowing some ByteSource & ~Copyable,
        to output: UnsafeMutablePointer<UInt8>?
    ) {
        withContext(key) { finish($0, data, to: output) }
    }

    /// Calls `body` with a context that has the key.
    private static func withContext<Result>(
        _ key: borrowing some ByteSource & ~Copyable, _ body: (OpaquePointer?) -> Result
    ) -> Result {
        let context = EVP_MAC_CTX_dup(Fetched.hmacSHA256)
        defer { EVP_MAC_CTX_free(context) }
        let status = key.withOctets { key, count in EVP_MAC_init(context, key, count, nil) }
        mustSucceed(context != nil && status == 1, "HMAC-SHA-256")
        return body(context)
    }

    private static func finish(
        _ context: OpaquePointer?, _ data: borrowing some ByteSource & ~Copyable,
        to output: UnsafeMutablePointer<UInt8>?
    ) {
        var written = 0
        let status = data.withOctets { data, count in EVP_MAC_update(context, data, count) }
        mustSucceed(
            status == 1 && EVP_MAC_final(context, output, &written, byteCount) == 1 && written == byteCount,
            "HMAC-SHA-256")
    }

    /// Whether `code` is the authentication code of `data`, at full length. Compares in constant time.
    package static func isValid(
        _ code: borrowing some ByteSource & ~Copyable, for data: borrowing some ByteSource & ~Copyable,
        key: borrowing some ByteSource & ~Copyable
    ) -> Bool {
        ConstantTime.areEqual(code, authenticationCode(for: data, key: key))
    }
}
