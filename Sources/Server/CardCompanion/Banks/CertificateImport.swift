package import CardCompanionModel
internal import Cryptography

/// A certificate that an operator imports for a bank, after its validation.
package struct CertificateImport: Sendable {
    package let record: CertificateRecord

    /// Validates the first certificate of `pem`. The certificates after it can complete the chain to one of `trustedCAs`.
    ///
    /// - Parameter revocationList: its CA's CRL, in PEM or DER; nil if it is not checked. One of `trustedCAs` must have signed it.
    /// - Throws: `CertificateError` with the reason of the refusal.
    package init(
        pem: [UInt8], trustedCAs: [UInt8], revocationList: [UInt8]? = nil, alias: String,
        purpose: CertificatePurpose = .signature, isDefault: Bool, now: Timestamp
    ) throws {
        let chain = try Certificate.readPEMChain(pem)
        let roots = try Certificate.readPEMChain(trustedCAs)
        guard let certificate = chain.first else {
            throw InvalidSetting(description: "the file contains no certificate: provide one in PEM form")
        }
        guard Identifier(alias) != nil else {
            throw InvalidSetting(description: "--alias must have \(Identifier.rule)")
        }
        try certificate.verify(
            for: purpose.use, chain: Array(chain.dropFirst()), trustedCAs: roots, at: now.seconds)
        if let revocationList {
            let list = try RevocationList(revocationList)
            try list.verify(signedByOneOf: roots, at: now.seconds)
            try certificate.requireNotRevoked(by: list)
        }
        record = CertificateRecord(
            alias: alias, purpose: purpose, der: certificate.der, fingerprint: certificate.fingerprintSHA256,
            subject: certificate.subject, issuer: certificate.issuer, serial: certificate.serialNumber,
            notBefore: Timestamp(seconds: certificate.notBefore), notAfter: Timestamp(seconds: certificate.notAfter),
            isDefault: isDefault, status: .active, createdAt: now)
    }
}

extension CertificatePurpose {
    fileprivate var use: Certificate.Use {
        switch self {
        case .signature: .signature
        case .encryption, .identity: .encryption
        case .client: .clientAuthentication
        }
    }
}

extension CertificateRecord {
    /// SHA-256 of the certificate, in hex.
    package var fingerprintHex: String { Hex.encode(fingerprint) }
}
