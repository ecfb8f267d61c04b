/// A master list: the certificates of country signing CAs that a state has checked, signed by it (Doc 9303-12 section 9).
package struct MasterList: Sendable {
    package static let byteCountLimit = 16 << 20

    /// Why a list is not trusted.
    package enum Refusal: Error, Equatable, CustomStringConvertible {
        case invalidSignature
        case signerNotForMasterLists
        case signerNotUnderRoot
        case signerRevoked
        case signerExpired
        case noSigningTime

        package var description: String {
            switch self {
            case .invalidSignature: "the signature of the master list is not valid"
            case .signerNotForMasterLists: "the signer of the master list has a certificate for other purposes"
            case .signerNotUnderRoot: "the given root did not sign the certificate of the master list's signer"
            case .signerRevoked: "the certificate of the master list's signer is revoked"
            case .signerExpired: "the certificate of the signer or the root was not valid when the list was signed"
            case .noSigningTime: "the master list does not say when it was signed"
            }
        }
    }

    /// A list whose signature is valid.
    package struct Verified: Sendable {
        package let certificates: [SigningCertificate]
        /// When it was signed, in Unix seconds. A list that is older than the present one must be refused.
        package let signingTime: Int64
        /// How many entries are not certificates, or have keys that cannot be used.
        package let unusableCount: Int
    }

    private let message: SignedMessage

    /// - Throws: `FormatError` for everything that is not a master list.
    package init(_ bytes: Octets) throws(FormatError) {
        guard bytes.count <= Self.byteCountLimit else {
            throw FormatError("a master list has more than \(Self.byteCountLimit) bytes")
        }
        message = try SignedMessage(TLVReader.only(.sequence, in: bytes, .definiteOrIndefinite))
        guard message.contentType == ObjectIdentifier("2.23.136.1.1.2") else {
            throw FormatError("the content type \(message.contentType) is not that of a master list")
        }
    }

    /// Verifies the signature, and that the signer is under a root from another source: the list itself cannot say whom to
    /// trust.
    ///
    /// - Parameter revocationLists: only those that the root signed count.
    /// - Throws: ``Refusal``, or `FormatError` if the signed content is malformed.
    package func verify(
        root: SigningCertificate, revocationLists: [CertificateRevocationList] = []
    ) throws -> Verified {
        guard let signer = message.verify() else { throw Refusal.invalidSignature }
        guard signer.certificate.isMasterListSigner else { throw Refusal.signerNotForMasterLists }
        guard root.allowsCertificateSigning, signer.certificate.issuer == root.subject,
            signer.certificate.isSigned(by: root)
        else { throw Refusal.signerNotUnderRoot }
        if TrustAnchors([root], revocationLists: revocationLists).isRevoked(signer.certificate, under: root) {
            throw Refusal.signerRevoked
        }
        guard let signingTime = signer.signingTime else { throw Refusal.noSigningTime }
        guard signer.certificate.isValid(at: signingTime), root.isValid(at: signingTime) else {
            throw Refusal.signerExpired
        }
        let entries = try entries()
        let certificates = entries.compactMap { try? SigningCertificate($0) }
        return Verified(
            certificates: certificates, signingTime: signingTime, unusableCount: entries.count - certificates.count)
    }

    /// SEQUENCE { version 0, SET OF Certificate }.
    private func entries() throws(FormatError) -> [TLVElement] {
        var reader = try TLVReader.only(.sequence, in: message.content).reader()
        guard try reader.readSmallInteger() == 0 else { throw FormatError("the version of the master list is unknown") }
        var set = try reader.read(.set).reader()
        try reader.finish()
        return try set.readAll()
    }
}
