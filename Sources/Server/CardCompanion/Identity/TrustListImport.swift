package import CardCompanionModel
internal import Cryptography
internal import EMRTD
package import KeyVault
internal import SecureMemory

/// A master list that an operator imports, after its validation.
package struct TrustListImport: Sendable {
    /// The operator is warned of a list that is older than this.
    package static let ageLimitSeconds: Int64 = 120 * 86_400

    /// How far the signer's clock can be ahead.
    private static let futureLimitSeconds: Int64 = 86_400

    /// DER.
    package let root: [UInt8]
    package let rootFingerprint: [UInt8]
    package let signedAt: Timestamp
    /// How many authorities it has, and how many entries cannot be used.
    package let authorityCount: Int
    package let unusableCount: Int
    private let list: [UInt8]

    /// - Parameters:
    ///   - list: CMS.
    ///   - root: the certificate of the authority that signed the list's signer, PEM or DER. It must not come from the list.
    /// - Throws: `FormatError`, `MasterList.Refusal`.
    package init(_ list: [UInt8], root: [UInt8], now: Timestamp) throws {
        let certificate = try SigningCertificate(Octets(copying: Self.der(root, label: "CERTIFICATE")))
        let verified = try MasterList(Octets(copying: list)).verify(root: certificate)
        // A list from the future would block the lists after it.
        guard verified.signingTime <= now.seconds + Self.futureLimitSeconds else {
            throw FormatError("the list was signed in the future: is the clock of this machine right?")
        }
        self.list = list
        self.root = certificate.encoded
        rootFingerprint = certificate.fingerprint
        signedAt = Timestamp(seconds: verified.signingTime)
        authorityCount = verified.certificates.count
        unusableCount = verified.unusableCount
    }

    /// - Parameter scope: the bank that trusts it, instead of all banks.
    /// - Throws: `vaultClosed`.
    package func record(
        scope: Identifier?, keyring: Keyring, now: Timestamp
    ) throws(KeyVaultError) -> TrustListRecord {
        let digest = TrustedAuthorities.digest(list: list, root: root)
        return TrustListRecord(
            scope: scope, list: list, root: root, sealedDigest: try keyring.seal(digest, in: .trustList(scope)),
            signedAt: signedAt, importedAt: now)
    }

    /// The DER of a file that is DER already, or a PEM block.
    static func der(_ bytes: [UInt8], label: String) throws(FormatError) -> [UInt8] {
        if bytes.first == derSequence { return bytes }
        guard let der = PEM.decode(bytes, label: label) else {
            throw FormatError("the file must contain DER or one PEM block '\(label)'")
        }
        return der
    }

    /// The first byte of certificates and CRLs in DER. PEM does not begin with it: in ASCII it is the digit 0.
    private static let derSequence: UInt8 = 0x30
}

extension TrustListSummary {
    /// Tells the operator that the list is old; otherwise nil.
    package func warning(now: Timestamp) -> String? {
        let days = (now.seconds - signedAt.seconds) / 86_400
        guard now.seconds - signedAt.seconds > TrustListImport.ageLimitSeconds else { return nil }
        return "the trust list of \(scope.map { "bank '\($0)'" } ?? "all banks") was signed \(days) days ago"
    }
}

/// A revocation list of one of the authorities of a trust list.
package struct TrustRevocationListImport: Sendable {
    package let record: TrustRevocationListRecord
    /// The authority, as RFC 2253 would write it.
    package let issuer: String
    package let nextUpdate: Timestamp?
    package let revokedCount: Int

    /// - Parameter list: what the scope trusts. One of its authorities must have signed the list.
    /// - Throws: `FormatError`.
    package init(_ bytes: [UInt8], for list: TrustListRecord, now: Timestamp) throws {
        let der = try TrustListImport.der(bytes, label: "X509 CRL")
        let crl = try CertificateRevocationList(Octets(copying: der))
        let authorities = try TrustedAuthorities.certificates(of: list)
        guard let signer = authorities.first(where: { $0.subject == crl.issuer && crl.isSigned(by: $0) }) else {
            throw FormatError("no authority of the trust list has signed the CRL of \(crl.issuer.normalized)")
        }
        record = TrustRevocationListRecord(
            scope: list.scope,
            issuer: SHA256.hash(
                Array(signer.subject.normalized.utf8) + [0] + (signer.subjectKeyIdentifier ?? signer.fingerprint)),
            digest: SHA256.hash(der), list: der, thisUpdate: Timestamp(seconds: crl.thisUpdate),
            number: crl.number, importedAt: now)
        issuer = crl.issuer.normalized
        nextUpdate = crl.nextUpdate.map { Timestamp(seconds: $0) }
        revokedCount = crl.revoked.count
    }
}
