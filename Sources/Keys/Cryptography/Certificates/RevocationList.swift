internal import COpenSSL
package import SecureMemory

/// A certificate revocation list (CRL, RFC 5280 section 5): the certificates that their CA has revoked. It must be complete.
/// A list for only a part of the CA's certificates, or only of changes, is refused: a certificate that it does not name could
/// be on another list.
package final class RevocationList: Sendable {
    /// The greatest size of a PEM text or of DER.
    package static let byteCountLimit = 16 << 20
    /// The greatest number of revoked certificates.
    package static let entryCountLimit = 100_000

    /// How long a CRL number can be.
    package static let numberByteCount = 20

    /// The name of the CA that signed it (RFC 2253).
    package let issuer: String
    /// When it was made, in Unix seconds.
    package let thisUpdate: Int64
    /// When the list expires, in Unix seconds. By then the CA makes the next one.
    package let nextUpdate: Int64
    /// The CRL number, big-endian, of ``numberByteCount`` bytes; nil if there is none. The CA's next list has a higher one.
    package let number: [UInt8]?
    /// The serial numbers of the revoked certificates, as ``Certificate/serialNumber``.
    package let serialNumbers: Set<[UInt8]>

    private let handle: X509CRLHandle

    /// Reads one list, in PEM or in DER with nothing after it.
    ///
    /// - Throws: `malformed`; `partial` if it is not a complete list.
    package init(_ bytes: borrowing some ByteSource & ~Copyable) throws(CertificateError) {
        handle = try Self.read(bytes)
        issuer = handle.issuer
        guard let thisUpdate = handle.thisUpdate, let nextUpdate = handle.nextUpdate, thisUpdate < nextUpdate else {
            throw CertificateError(
                .malformed, "The CRL of \(issuer) must say when it was made and when the next one comes.")
        }
        (self.thisUpdate, self.nextUpdate) = (thisUpdate, nextUpdate)
        guard handle.isComplete else {
            throw CertificateError(
                .partial,
                "The CRL of \(issuer) is not a complete list of one CA (it is a delta CRL, has an issuing distribution "
                    + "point, or another critical extension): get the CA's complete CRL.")
        }
        number = try handle.number(byteCount: Self.numberByteCount)
        serialNumbers = try handle.serialNumbers()
    }

    /// Whether it lists a certificate of its issuer.
    package func revokes(_ certificate: Certificate) -> Bool {
        isIssuer(of: certificate) && serialNumbers.contains(certificate.serialNumber)
    }

    /// Whether the certificate comes from the CA that signed the list.
    package func isIssuer(of certificate: Certificate) -> Bool { certificate.issuer == issuer }

    /// Checks that one of `authorities` signed the list and may do so, and that the list is neither expired nor from the future.
    ///
    /// - Parameter unixSeconds: the time.
    /// - Throws: the first check that failed.
    package func verify(signedByOneOf authorities: [Certificate], at unixSeconds: Int64) throws(CertificateError) {
        let named = authorities.filter { handle.isIssued(by: $0.handle) }
        guard !named.isEmpty else {
            throw CertificateError(
                .untrusted,
                "The CRL is by \(issuer), which is not one of the CAs that you trust: add its certificate to them.")
        }
        guard let signer = named.first(where: { handle.isSigned(by: $0.handle) }) else {
            throw CertificateError(.untrusted, "The signature of the CRL of \(issuer) is wrong: get the CRL again.")
        }
        guard signer.handle.isCA, signer.handle.allowsCRLSigning else {
            throw CertificateError(
                .wrongKeyUsage, "The key usage in the certificate of \(issuer) must include cRLSign.")
        }
        guard signer.notBefore <= unixSeconds, unixSeconds <= signer.notAfter else {
            throw CertificateError(.expired, "The certificate of \(issuer) is not within its validity.")
        }
        guard !handle.hasWeakSignature(by: signer.handle) else {
            throw CertificateError(
                .weakSignature,
                "The CRL of \(issuer) is signed with a broken hash or a short key: use SHA-256 or better.")
        }
        guard thisUpdate <= unixSeconds else {
            throw CertificateError(
                .notYetValid,
                "The CRL of \(issuer) is not valid before \(UTCDate(thisUpdate)): wait, or check the clock.")
        }
        guard unixSeconds < nextUpdate else {
            throw CertificateError(
                .expired, "The CRL of \(issuer) expired on \(UTCDate(nextUpdate)): get the CA's present CRL.")
        }
    }

    private static func read(
        _ bytes: borrowing some ByteSource & ~Copyable
    ) throws(CertificateError) -> X509CRLHandle {
        let list = bytes.withOctets { bytes, count -> X509CRLHandle? in
            guard count <= byteCountLimit else { return nil }
            return X509CRLHandle(bytes, count)
        }
        guard let list else {
            throw CertificateError(.malformed, "The file must contain one CRL, in PEM or DER.")
        }
        return list
    }
}
