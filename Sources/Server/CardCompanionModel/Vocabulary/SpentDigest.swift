/// What is stored of a random value, or of one that can be used only once: the first 16 bytes of its SHA-256.
package struct SpentDigest: Sendable, Equatable {
    package static let byteCount = 16

    package let bytes: [UInt8]

    package init(bytes: [UInt8]) {
        self.bytes = bytes
    }
}
