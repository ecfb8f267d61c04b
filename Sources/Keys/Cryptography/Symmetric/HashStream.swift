internal import COpenSSL
package import SecureMemory

/// A hash of bytes that arrive in parts. Not for concurrent use.
package final class HashStream {
    private let byteCount: Int
    private let context = EVP_MD_CTX_new()

    package init(_ algorithm: HashAlgorithm) {
        byteCount = algorithm.byteCount
        mustSucceed(EVP_DigestInit_ex2(context, algorithm.fetched, nil) == 1, "a hash")
    }

    deinit {
        EVP_MD_CTX_free(context)
    }

    /// Adds the next bytes.
    package func update(_ data: borrowing some ByteSource & ~Copyable) {
        data.withOctets { bytes, count in
            mustSucceed(EVP_DigestUpdate(context, bytes, count) == 1, "a hash")
        }
    }

    /// The hash of all bytes so far. More bytes can be added afterwards.
    package func hash() -> [UInt8] {
        let copy = EVP_MD_CTX_new()
        defer { EVP_MD_CTX_free(copy) }
        return [UInt8](unsafeUninitializedCapacity: byteCount) { output, written in
            let isDone =
                EVP_MD_CTX_copy_ex(copy, context) == 1
                && EVP_DigestFinal_ex(copy, output.baseAddress, nil) == 1
            mustSucceed(isDone, "a hash")
            written = byteCount
        }
    }
}
