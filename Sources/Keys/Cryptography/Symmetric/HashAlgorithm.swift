internal import COpenSSL
package import SecureMemory

/// The hash functions that documents and standards can name: SHA-1 and SHA-2 (FIPS 180-4). The caller decides whether SHA-1 is
/// good enough.
package enum HashAlgorithm: String, CaseIterable, Sendable {
    case sha1 = "SHA-1"
    case sha224 = "SHA-224"
    case sha256 = "SHA-256"
    case sha384 = "SHA-384"
    case sha512 = "SHA-512"

    package var byteCount: Int {
        switch self {
        case .sha1: 20
        case .sha224: 28
        case .sha256: 32
        case .sha384: 48
        case .sha512: 64
        }
    }

    /// The hash of public or secret data.
    package func hash(_ data: borrowing some ByteSource & ~Copyable) -> [UInt8] {
        data.withOctets { bytes, count in
            [UInt8](unsafeUninitializedCapacity: byteCount) { output, written in
                mustSucceed(EVP_Digest(bytes, count, output.baseAddress, nil, fetched, nil) == 1, "a hash")
                written = byteCount
            }
        }
    }

    /// The hash of secret data, if the hash is secret too.
    package func secretHash(_ data: borrowing some ByteSource & ~Copyable) -> SecretBytes {
        data.withOctets { bytes, count in
            SecretBytes(count: byteCount) { output in
                let base = output.bindMemory(to: UInt8.self).baseAddress
                mustSucceed(EVP_Digest(bytes, count, base, nil, fetched, nil) == 1, "a hash")
            }
        }
    }

    /// OpenSSL's object of the algorithm. It is never freed.
    var fetched: OpaquePointer? {
        switch self {
        case .sha1: Fetched.sha1
        case .sha224: Fetched.sha224
        case .sha256: Fetched.sha256
        case .sha384: Fetched.sha384
        case .sha512: Fetched.sha512
        }
    }
}
