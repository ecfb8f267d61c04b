internal import COpenSSL

/// A small certificate authority for sandboxes and tests. Do not use it in production: its key is in memory, and it
/// keeps no record of what it issued.
package struct CertificateAuthority: Sendable {
    /// The contents of a certificate.
    package struct Request: Sendable {
        package var commonName: String
        package var organization: String?
        /// The first second of the validity, in Unix seconds.
        package var notBefore: Int64
        /// The last second of the validity, in Unix seconds.
        package var notAfter: Int64
        package var keyUsage: KeyUsage

        /// By default, the key usage allows digital signatures.
        package init(
            commonName: String, organization: String? = nil, notBefore: Int64, notAfter: Int64,
            keyUsage: KeyUsage = .digitalSignature
        ) {
            self.commonName = commonName
            self.organization = organization
            self.notBefore = notBefore
            self.notAfter = notAfter
            self.keyUsage = keyUsage
        }
    }

    /// The key usage of a certificate.
    package enum KeyUsage: Sendable, Hashable {
        case digitalSignature
        /// Key encipherment only.
        case keyEncipherment
        /// Signs certificates: an intermediate CA.
        case certificateSigning
        /// The certificate has no key usage extension.
        case unspecified
    }

    /// The certificate of this authority.
    package let certificate: Certificate

    private let key: RSAPrivateKey

    /// A root: an authority with a self-signed certificate. The key usage of the request is ignored.
    package init(selfSigned request: Request, key: RSAPrivateKey) throws(CryptographyError) {
        var request = request
        request.keyUsage = .certificateSigning
        certificate = try Self.issue(request, for: key.publicKey, issuer: nil, signingKey: key)
        self.key = key
    }

    /// An intermediate authority. Another authority issued `certificate` for `key`.
    ///
    /// - Throws: `invalidKey` if the certificate is for another key.
    package init(certificate: Certificate, key: RSAPrivateKey) throws(CryptographyError) {
        guard certificate.rsaPublicKey == key.publicKey else { throw failure(.invalidKey) }
        self.certificate = certificate
        self.key = key
    }

    package func issue(_ request: Request, for publicKey: RSAPublicKey) throws(CryptographyError) -> Certificate {
        try Self.issue(request, for: publicKey, issuer: certificate, signingKey: key)
    }
}

extension CertificateAuthority {
    private static func issue(
        _ request: Request, for publicKey: RSAPublicKey, issuer: Certificate?, signingKey: RSAPrivateKey
    ) throws(CryptographyError) -> Certificate {
        let handle = try X509Handle(owning: X509_new())
        let new = handle.pointer
        try require(X509_set_version(new, Int(X509_VERSION_3)), orThrow: .engineFailure)
        try setSerialNumber(of: new)
        try setSubject(of: new, request)
        try require(X509_set_pubkey(new, publicKey.key.pointer), orThrow: .invalidKey)
        let issuerPointer = issuer?.handle.pointer ?? new
        try require(X509_set_issuer_name(new, X509_get_subject_name(issuerPointer)), orThrow: .engineFailure)
        ASN1_TIME_set(X509_getm_notBefore(new), time_t(request.notBefore))
        ASN1_TIME_set(X509_getm_notAfter(new), time_t(request.notAfter))
        for (identifier, value) in request.keyUsage.extensions {
            try add(identifier, value, to: new, issuer: issuerPointer)
        }
        try signingKey.sign(certificate: new)
        return try Certificate(der: handle.der())
    }

    /// A positive random number of 127 bits (RFC 5280 section 4.1.2.2 allows 20 bytes).
    private static func setSerialNumber(of new: OpaquePointer) throws(CryptographyError) {
        var random = SecureRandom.bytes(count: 16)
        random[0] = random[0] & 0x7f | 0x40
        let number = try require(BN_bin2bn(random, Int32(random.count), nil))
        defer { BN_free(number) }
        guard BN_to_ASN1_INTEGER(number, X509_get_serialNumber(new)) != nil else { throw failure(.engineFailure) }
    }

    private static func setSubject(of new: OpaquePointer, _ request: Request) throws(CryptographyError) {
        let name = X509_get_subject_name(new)
        for (field, value) in [("O", request.organization), ("CN", request.commonName)] {
            guard let value else { continue }
            let text = Array(value.utf8)
            let status = X509_NAME_add_entry_by_txt(name, field, MBSTRING_UTF8, text, Int32(text.count), -1, 0)
            try require(status, orThrow: .invalidLength)
        }
    }

    private static func add(
        _ identifier: Int32, _ value: String, to new: OpaquePointer, issuer: OpaquePointer
    ) throws(CryptographyError) {
        var context = X509V3_CTX()
        X509V3_set_ctx(&context, issuer, new, nil, nil, 0)
        let made = try require(X509V3_EXT_conf_nid(nil, &context, identifier, value))
        defer { X509_EXTENSION_free(made) }
        try require(X509_add_ext(new, made, -1), orThrow: .engineFailure)
    }
}

extension CertificateAuthority.KeyUsage {
    /// OpenSSL's identifiers and texts of the extensions (RFC 5280 section 4.2.1). The subject key identifier must come
    /// before the authority key identifier, which refers to it in a self-signed certificate.
    fileprivate var extensions: [(identifier: Int32, value: String)] {
        let identifiers = [(NID_subject_key_identifier, "hash"), (NID_authority_key_identifier, "keyid")]
        let isAuthority = self == .certificateSigning
        let constraints = (NID_basic_constraints, isAuthority ? "critical,CA:TRUE" : "critical,CA:FALSE")
        return identifiers + [constraints] + keyUsage.map { [(NID_key_usage, "critical,\($0)")] }.joined()
    }

    private var keyUsage: [String] {
        switch self {
        case .digitalSignature: ["digitalSignature"]
        case .keyEncipherment: ["keyEncipherment"]
        case .certificateSigning: ["keyCertSign,cRLSign"]
        case .unspecified: []
        }
    }
}
