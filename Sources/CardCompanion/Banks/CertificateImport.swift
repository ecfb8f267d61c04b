public import CardCompanionStore
internal import Cryptography

/// A certificate that an operator brings for a bank, validated.
public struct CertificateImport: Sendable {
    /// What is kept of it.
    public let record: CertificateRecord

    /// Validates the first certificate of `pem`; those behind it may lead to one of `trustedCAs`.
    ///
    /// - Throws: `CertificateError` with the reason of the refusal.
    public init(
        pem: [UInt8], trustedCAs: [UInt8], alias: String, purpose: CertificatePurpose = .signature, isDefault: Bool,
        now: Timestamp
    ) throws {
        let chain = try Certificate.readPEMChain(pem)
        let roots = try Certificate.readPEMChain(trustedCAs)
        guard let certificate = chain.first else {
            throw InvalidSetting(description: "the file holds no certificate")
        }
        guard Identifier.isValid(alias) else {
            throw InvalidSetting(description: "the alias is to have 1 to 64 printable characters")
        }
        try certificate.verify(
            for: purpose.use, chain: Array(chain.dropFirst()), trustedCAs: roots, at: now.seconds)
        record = CertificateRecord(
            alias: alias, purpose: purpose, der: certificate.der, fingerprint: certificate.fingerprintSHA256,
            subject: certificate.subject, notBefore: Timestamp(seconds: certificate.notBefore),
            notAfter: Timestamp(seconds: certificate.notAfter), isDefault: isDefault, status: .active, createdAt: now)
    }
}

extension CertificatePurpose {
    fileprivate var use: Certificate.Use {
        switch self {
        case .signature: .signature
        case .encryption: .encryption
        case .client: .clientAuthentication
        }
    }
}

extension CertificateRecord {
    /// SHA-256 of the certificate, in hex.
    public var fingerprintHex: String { Hex.encode(fingerprint) }
}
