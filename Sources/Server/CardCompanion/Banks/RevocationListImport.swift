package import CardCompanionModel
internal import Cryptography

/// A CA's revocation list that an operator gives to a bank, after its validation. From then on servers check the bank's
/// certificates of that CA with it.
package struct RevocationListImport: Sendable {
    package let record: RevocationListRecord
    /// The serial numbers of the revoked certificates (DER).
    package let serials: [[UInt8]]
    /// Those of the trusted CAs that have signed it.
    private let authorities: [Certificate]

    /// - Parameters:
    ///   - bytes: PEM or DER.
    ///   - trustedCAs: PEM. One of them must have signed the list.
    /// - Throws: `CertificateError` with the reason of the refusal.
    package init(_ bytes: [UInt8], trustedCAs: [UInt8], now: Timestamp) throws {
        let list = try RevocationList(bytes)
        let trusted = try Certificate.readPEMChain(trustedCAs)
        try list.verify(signedByOneOf: trusted, at: now.seconds)
        authorities = trusted.filter { (try? list.verify(signedByOneOf: [$0], at: now.seconds)) != nil }
        record = RevocationListRecord(
            issuer: list.issuer, thisUpdate: Timestamp(seconds: list.thisUpdate), number: list.number,
            nextUpdate: Timestamp(seconds: list.nextUpdate), importedAt: now)
        serials = list.serialNumbers.map { $0 }
    }

    /// The list as the bank gets it.
    package var contents: RevocationListContents {
        RevocationListContents(record: record, serials: Array(Set(serials)))
    }

    /// Whether the CA that signed the list has issued a certificate. A CA of the same name is not enough.
    package func isByIssuer(of certificate: CertificateRecord) -> Bool {
        guard let certificate = try? Certificate(der: certificate.der) else { return false }
        return authorities.contains { certificate.isSigned(by: $0) }
    }
}

extension RevocationListRecord {
    /// How long before a list expires the operator is warned.
    static let warningSeconds: Int64 = 2 * 86_400

    /// Tells the operator that the list has expired or soon will; otherwise nil.
    package func warning(now: Timestamp) -> String? {
        guard nextUpdate <= now.advanced(bySeconds: Self.warningSeconds) else { return nil }
        let state =
            now < nextUpdate
            ? "expires at \(UTCDate(nextUpdate.seconds)); then the bank's certificates of that CA are refused"
            : "has expired, and the bank's certificates of that CA are refused"
        return "The CRL of \(issuer) \(state): import the next CRL with 'card-companion certificate import-crl'"
    }
}
