internal import COpenSSL
public import SecureMemory

/// SHA-256 (FIPS 180-4).
public enum SHA256 {
    /// The length of a hash.
    public static let byteCount = 32

    /// The hash of the bytes, 32 bytes.
    public static func hash(_ data: borrowing some ByteSource & ~Copyable) -> [UInt8] {
        digest(data, with: Fetched.sha256, byteCount: byteCount)
    }
}

/// SHA-512 (FIPS 180-4).
public enum SHA512 {
    /// The length of a hash.
    public static let byteCount = 64

    /// The hash of the bytes, 64 bytes.
    public static func hash(_ data: borrowing some ByteSource & ~Copyable) -> [UInt8] {
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
