internal import COpenSSL
package import SecureMemory

/// A SHA-2 hash (FIPS 180-4) of bytes that arrive in parts. Not for concurrent use.
package final class SHA2Stream {
    private let byteCount: Int
    private let context: OpaquePointer?

    private init(algorithm: OpaquePointer?, byteCount: Int) {
        self.byteCount = byteCount
        context = EVP_MD_CTX_new()
        mustSucceed(EVP_DigestInit_ex2(context, algorithm, nil) == 1, "SHA-2")
    }

    deinit {
        EVP_MD_CTX_free(context)
    }

    /// A new SHA-256 hash.
    package static func sha256() -> SHA2Stream {
        SHA2Stream(algorithm: Fetched.sha256, byteCount: SHA256.byteCount)
    }

    /// A new SHA-512 hash.
    package static func sha512() -> SHA2Stream {
        SHA2Stream(algorithm: Fetched.sha512, byteCount: SHA512.byteCount)
    }

    /// Adds the next bytes.
    package func update(_ data: borrowing some ByteSource & ~Copyable) {
        data.withOctets { bytes, count in
            mustSucceed(EVP_DigestUpdate(context, bytes, count) == 1, "SHA-2")
        }
    }

    /// The hash of all bytes so far, 32 or 64 bytes. More bytes can be added afterwards.
    package func hash() -> [UInt8] {
        let copy = EVP_MD_CTX_new()
        defer { EVP_MD_CTX_free(copy) }
        return [UInt8](unsafeUninitializedCapacity: byteCount) { output, written in
            let isDone =
                EVP_MD_CTX_copy_ex(copy, context) == 1
                && EVP_DigestFinal_ex(copy, output.baseAddress, nil) == 1
            mustSucceed(isDone, "SHA-2")
            written = byteCount
        }
    }
}
