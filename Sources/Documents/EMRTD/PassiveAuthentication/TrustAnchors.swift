/// The certificates of country signing CAs that are trusted, and their revocation lists.
///
/// The certificates' own signatures do not count: their keys are trusted because of where they come from.
package struct TrustAnchors: Sendable {
    private let certificates: [SigningCertificate]
    private let byKeyIdentifier: [[UInt8]: [Int]]
    private let byName: [DistinguishedName: [Int]]
    /// By the place of the first certificate whose name and key they have.
    private let revocationLists: [Int: CertificateRevocationList]

    /// Takes trusted certificates, and those of the lists that one of them signed. Of several lists with the same name and key
    /// the newest counts.
    package init(_ certificates: [SigningCertificate], revocationLists: [CertificateRevocationList] = []) {
        self.certificates = certificates
        var (byKeyIdentifier, byName): ([[UInt8]: [Int]], [DistinguishedName: [Int]]) = ([:], [:])
        for (index, certificate) in certificates.enumerated() {
            byName[certificate.subject, default: []].append(index)
            if let identifier = certificate.subjectKeyIdentifier {
                byKeyIdentifier[identifier, default: []].append(index)
            }
        }
        self.byKeyIdentifier = byKeyIdentifier
        self.byName = byName
        self.revocationLists = revocationLists.reduce(into: [:]) { lists, list in
            let named = byName[list.issuer] ?? []
            guard let signer = named.first(where: { list.isSigned(by: certificates[$0]) }) else { return }
            let isNewer = lists[signer].map { $0.thisUpdate < list.thisUpdate } ?? true
            if isNewer { lists[signer] = list }
        }
    }

    package var count: Int { certificates.count }

    /// The anchor whose key signed a certificate and that can be its issuer, found by key identifier or name. A name can
    /// belong to several keys, and one key to several certificates (self-signed and link).
    package func issuer(of certificate: SigningCertificate) -> SigningCertificate? {
        let byKey = certificate.authorityKeyIdentifier.flatMap { byKeyIdentifier[$0] } ?? []
        let named = (byName[certificate.issuer] ?? []).filter { !byKey.contains($0) }
        let anchor = (byKey + named).first {
            certificates[$0].allowsCertificateSigning && certificate.isSigned(by: certificates[$0])
        }
        return anchor.map { certificates[$0] }
    }

    /// What is known about the revocation of a certificate.
    enum RevocationStatus: Sendable {
        case good
        case revoked
        /// There is no list of its issuer.
        case noList
        /// Each list should have been replaced. The certificate is not on it.
        case staleList
    }

    /// Whether a certificate is on a list, even on one that is out of date.
    func isRevoked(_ certificate: SigningCertificate, under anchor: SigningCertificate) -> Bool {
        lists(for: certificate, under: anchor).contains { $0.revoked.contains(certificate.serialNumber) }
    }

    /// - Parameters:
    ///   - anchor: whose key signed the certificate.
    ///   - unixSeconds: now.
    func revocationStatus(
        of certificate: SigningCertificate, under anchor: SigningCertificate, at unixSeconds: Int64
    ) -> RevocationStatus {
        if isRevoked(certificate, under: anchor) { return .revoked }
        let lists = lists(for: certificate, under: anchor)
        guard !lists.isEmpty else { return .noList }
        return lists.allSatisfy { $0.isStale(at: unixSeconds) } ? .staleList : .good
    }

    /// The lists with the anchor's name, and with the issuer's name in the certificate: they can be written differently.
    private func lists(
        for certificate: SigningCertificate, under anchor: SigningCertificate
    ) -> [CertificateRevocationList] {
        let names: Set = [anchor.subject, certificate.issuer]
        return names.flatMap { byName[$0] ?? [] }.compactMap { revocationLists[$0] }
    }
}
