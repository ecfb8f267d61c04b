/// What is wrong with a JOSE object. It never tells why a decryption failed.
public struct JOSEError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The kinds of failure; the list can grow.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// What is wrong, for people.
        public let description: String

        /// It is not a compact JWE with a header of the right form.
        public static let malformed = Code(description: "not a JWE in compact serialization")
        /// It, or its header, is longer than the limit.
        public static let tooLong = Code(description: "the JWE is longer than the limit")
        /// The header has a parameter that is not known; `crit` and `zip` are among those.
        public static let unknownHeaderParameter = Code(description: "the JWE's header has an unknown parameter")
        /// `alg` is not the one that is expected.
        public static let unsupportedAlgorithm = Code(description: "the JWE's alg is not supported here")
        /// `enc` is not A256GCM.
        public static let unsupportedEncryption = Code(description: "the JWE's enc is not supported")
        /// `epk` is absent and `alg` needs it.
        public static let missingEphemeralKey = Code(description: "the JWE's header has no epk")
        /// `epk` is not a point of P-256.
        public static let invalidEphemeralKey = Code(description: "the JWE's epk is not a point of P-256")
        /// The encrypted key is empty.
        public static let emptyEncryptedKey = Code(description: "the JWE's encrypted key is empty")
        /// It does not decrypt under this key.
        public static let decryptionFailed = Code(description: "the JWE does not decrypt under this key")
        /// It could not be made.
        public static let encryptionFailed = Code(description: "the JWE could not be made")
    }

    /// The kind of failure.
    public let code: Code

    /// See `CustomStringConvertible`.
    public var description: String { code.description }

    init(_ code: Code) {
        self.code = code
    }
}
