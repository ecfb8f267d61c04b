/// Why a certificate is not taken. ``message`` is a sentence for the operator who imports it.
public struct CertificateError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The kinds of reason; the list can grow.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The kind's name.
        public let description: String

        /// It does not parse, or its public key or a signature in the chain does not.
        public static let malformed = Code(description: "malformed")
        /// It, or a certificate above it, has expired.
        public static let expired = Code(description: "expired")
        /// It, or a certificate above it, is not valid yet.
        public static let notYetValid = Code(description: "notYetValid")
        /// No chain leads to a trusted CA.
        public static let untrusted = Code(description: "untrusted")
        /// Its key usage does not allow what it is to be used for.
        public static let wrongKeyUsage = Code(description: "wrongKeyUsage")
        /// Its key, or a key above it, is shorter than 2048 bits.
        public static let weakKey = Code(description: "weakKey")
        /// It, or a certificate above it, is signed with a broken hash (SHA-1, MD5).
        public static let weakSignature = Code(description: "weakSignature")
        /// Its key is not an RSA key.
        public static let notRSA = Code(description: "notRSA")
        /// It is a CA's certificate.
        public static let isCA = Code(description: "isCA")
    }

    /// The kind of reason.
    public let code: Code
    /// The reason as a sentence, with the certificate's name and dates.
    public let message: String

    /// See `CustomStringConvertible`.
    public var description: String { message }

    /// Whether both have one code; the message is for people.
    public static func == (one: CertificateError, other: CertificateError) -> Bool {
        one.code == other.code
    }

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}
