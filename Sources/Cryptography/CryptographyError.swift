/// What went wrong in this module. It carries no detail on purpose: a detail of why a decryption failed is an oracle.
public struct CryptographyError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The kinds of failure; the list can grow.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// What went wrong, for people.
        public let description: String

        /// A key is not of the expected type, form or size.
        public static let invalidKey = Code(description: "the key is not of the expected type, form or size")
        /// A point is not on the curve, or is infinity.
        public static let invalidPoint = Code(description: "the point is not on the curve")
        /// An input is not as long as the algorithm needs.
        public static let invalidLength = Code(description: "an input is not as long as the algorithm needs")
        /// A tag or an integrity check does not fit the data and the key.
        public static let authenticationFailed = Code(description: "the data is not authentic under this key")
        /// A ciphertext does not decrypt under this key.
        public static let decryptionFailed = Code(description: "the data does not decrypt under this key")
        /// Bytes are not an X.509 certificate.
        public static let invalidCertificate = Code(description: "the bytes are not an X.509 certificate")
        /// OpenSSL could not do what any OpenSSL 3 can: no memory, or no provider for the algorithm.
        public static let engineFailure = Code(description: "OpenSSL failed or lacks the algorithm")
    }

    /// The kind of failure.
    public let code: Code

    /// See `CustomStringConvertible`.
    public var description: String { code.description }

    init(_ code: Code) {
        self.code = code
    }
}
