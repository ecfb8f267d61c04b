internal import COpenSSL
public import SecureMemory

/// A SHA-2 hash (FIPS 180-4) of bytes that come in parts. It is used from one place at a time.
public final class SHA2Stream {
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

    /// A hash with SHA-256, of no bytes yet.
    public static func sha256() -> SHA2Stream {
        SHA2Stream(algorithm: Fetched.sha256, byteCount: SHA256.byteCount)
    }

    /// A hash with SHA-512, of no bytes yet.
    public static func sha512() -> SHA2Stream {
        SHA2Stream(algorithm: Fetched.sha512, byteCount: SHA512.byteCount)
    }

    /// Takes the next bytes.
    public func update(_ data: borrowing some ByteSource & ~Copyable) {
        data.withOctets { bytes, count in
            mustSucceed(EVP_DigestUpdate(context, bytes, count) == 1, "SHA-2")
        }
    }

    /// The hash of all bytes so far, 32 or 64 bytes. More can follow.
    public func hash() -> [UInt8] {
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
