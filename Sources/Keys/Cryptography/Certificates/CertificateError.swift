/// Why a certificate, or a CRL, was refused. ``message`` is for the operator who imports it.
package struct CertificateError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The kinds of reason. More can be added.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The name of the kind.
        package let description: String

        /// The certificate, its public key, a signature in the chain or the CRL cannot be read.
        package static let malformed = Code(description: "malformed")
        /// The certificate, or one in its chain, has expired.
        package static let expired = Code(description: "expired")
        /// The certificate, or one in its chain, is not valid yet.
        package static let notYetValid = Code(description: "notYetValid")
        /// There is no chain to a trusted CA.
        package static let untrusted = Code(description: "untrusted")
        /// The key usage does not allow the intended use.
        package static let wrongKeyUsage = Code(description: "wrongKeyUsage")
        /// The key, or a key in the chain, is weaker than RSA with 2048 bits.
        package static let weakKey = Code(description: "weakKey")
        /// The certificate, or one in its chain, is signed with a broken hash (SHA-1, MD5).
        package static let weakSignature = Code(description: "weakSignature")
        /// Its CA has revoked the certificate.
        package static let revoked = Code(description: "revoked")
        /// The CRL does not cover all certificates of its CA.
        package static let partial = Code(description: "partial")
        /// The key is not an RSA key.
        package static let notRSA = Code(description: "notRSA")
        /// The certificate is a CA certificate.
        package static let isCA = Code(description: "isCA")
    }

    package let code: Code
    /// The reason as a sentence, with the subject of the certificate.
    package let message: String

    package var description: String { message }

    /// Compares the codes only.
    package static func == (one: CertificateError, other: CertificateError) -> Bool {
        one.code == other.code
    }

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}
