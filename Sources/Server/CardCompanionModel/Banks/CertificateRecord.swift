/// A bank's certificate. It was validated when it was imported.
package struct CertificateRecord: Sendable, Equatable {
    /// SignatureCertAlias.
    package let alias: String
    package let purpose: CertificatePurpose
    package let der: [UInt8]
    /// SHA-256 of `der`.
    package let fingerprint: [UInt8]
    /// RFC 2253.
    package let subject: String
    /// RFC 2253.
    package let issuer: String
    /// DER.
    package let serial: [UInt8]
    package let notBefore: Timestamp
    package let notAfter: Timestamp
    /// Whether it verifies tokens that name no alias.
    package private(set) var isDefault: Bool
    package let status: Activity
    package let createdAt: Timestamp
    package private(set) var revocation: Revocation

    package init(
        alias: String, purpose: CertificatePurpose, der: [UInt8], fingerprint: [UInt8], subject: String,
        issuer: String, serial: [UInt8], notBefore: Timestamp, notAfter: Timestamp, isDefault: Bool, status: Activity,
        createdAt: Timestamp, revocation: Revocation = .notChecked
    ) {
        self.alias = alias
        self.purpose = purpose
        self.der = der
        self.fingerprint = fingerprint
        self.subject = subject
        self.issuer = issuer
        self.serial = serial
        self.notBefore = notBefore
        self.notAfter = notAfter
        self.isDefault = isDefault
        self.status = status
        self.createdAt = createdAt
        self.revocation = revocation
    }

    /// A copy that is, or is not, the default of its use.
    package func with(isDefault: Bool) -> CertificateRecord {
        var changed = self
        changed.isDefault = isDefault
        return changed
    }
    /// A copy with what a revocation list says.
    package func with(revocation: Revocation) -> CertificateRecord {
        var changed = self
        changed.revocation = revocation
        return changed
    }
}
