internal import COpenSSL
package import SecureMemory

/// SHA-256 (FIPS 180-4).
package enum SHA256 {
    package static let byteCount = 32

    /// The hash, 32 bytes.
    package static func hash(_ data: borrowing some ByteSource & ~Copyable) -> [UInt8] {
        digest(data, with: Fetched.sha256, byteCount: byteCount)
    }
}

/// SHA-512 (FIPS 180-4).
package enum SHA512 {
    package static let byteCount = 64

    /// The hash, 64 bytes.
    package static func hash(_ data: borrowing some ByteSource & ~Copyable) -> [UInt8] {
        digest(data, with: Fetched.sha512, byteCount: byteCount)
    }
}

private func digest(
    _ data: borrowing some ByteSource & ~Copyable, with algorithm: OpaquePointer?, byteCount: Int
) -> [UInt8] {
    data.withOctets { bytes, count in
        [UInt8](unsafeUninitializedCapacity: byteCount) { output, written in
            mustSucceed(EVP_Digest(bytes, count, output.baseAddress, nil, algorithm, nil) == 1, "SHA-2")
            written = byteCount
        }
    }
}
