internal import Cryptography

/// What is stored of a value that can be used only once: the first 16 bytes of its SHA-256.
package struct SpentDigest: Sendable, Equatable {
    package static let byteCount = 16

    package let bytes: [UInt8]

    /// The digest of a value.
    package init(of value: [UInt8]) {
        bytes = Array(SHA256.hash(value).prefix(Self.byteCount))
    }
}
