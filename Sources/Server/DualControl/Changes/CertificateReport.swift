internal import Administration
internal import CardCompanion
package import CardCompanionModel
internal import CardCompanionStore

/// A bank's certificate, as the commands show it.
package struct CertificateReport: Encodable, Sendable {
    let alias: String
    let use: String
    let isDefault: Bool
    let status: String
    let subject: String
    let notBefore: String
    let notAfter: String
    let revocation: String
    let fingerprintSHA256: String

    package init(_ certificate: CertificateRecord) {
        alias = certificate.alias
        use = certificate.purpose.rawValue
        isDefault = certificate.isDefault
        status = certificate.status.rawValue
        subject = certificate.subject
        notBefore = certificate.notBefore.text
        notAfter = certificate.notAfter.text
        revocation = certificate.revocation.text
        fingerprintSHA256 = certificate.fingerprintHex
    }
}

extension Revocation {
    package var text: String {
        switch self {
        case .notChecked: "not checked"
        case .good(let until): "good to \(until.text)"
        case .revoked: "revoked"
        }
    }
}
