package import SecureMemory

/// SHA-256 (FIPS 180-4).
package enum SHA256 {
    package static let byteCount = HashAlgorithm.sha256.byteCount

    /// The hash, 32 bytes.
    package static func hash(_ data: borrowing some ByteSource & ~Copyable) -> [UInt8] {
        HashAlgorithm.sha256.hash(data)
    }
}

/// SHA-512 (FIPS 180-4).
package enum SHA512 {
    package static let byteCount = HashAlgorithm.sha512.byteCount

    /// The hash, 64 bytes.
    package static func hash(_ data: borrowing some ByteSource & ~Copyable) -> [UInt8] {
        HashAlgorithm.sha512.hash(data)
    }
}
