/// An error of this module. It carries no detail on purpose: the reason why a decryption failed would be an oracle.
package struct CryptographyError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The kinds of failure. More can be added.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The text for people.
        package let description: String

        package static let invalidKey = Code(description: "the key does not have the expected type, encoding or size")
        /// A point is not on the curve, or is infinity. For Ed25519 also: it has a small order, or its encoding is not
        /// canonical.
        package static let invalidPoint = Code(description: "the public key is not a usable point on the curve")
        package static let invalidLength = Code(description: "an input has the wrong length for the algorithm")
        /// The tag or integrity check does not match the data and the key.
        package static let authenticationFailed = Code(description: "the data was changed, or made with another key")
        package static let decryptionFailed = Code(description: "the data does not decrypt with this key")
        package static let invalidCertificate = Code(description: "the data is not a valid X.509 certificate")
        /// OpenSSL failed: out of memory, or no provider for the algorithm.
        package static let engineFailure = Code(description: "OpenSSL failed, or does not provide the algorithm")
    }

    package let code: Code

    package var description: String { code.description }

    init(_ code: Code) {
        self.code = code
    }
}
