internal import COpenSSL
package import SecureMemory

/// An X.509 certificate (RFC 5280).
package final class Certificate: Sendable {
    /// The greatest size of a PEM text or of DER.
    package static let byteCountLimit = 65_536
    /// The greatest number of certificates in a PEM text.
    package static let chainCountLimit = 32

    /// The DER encoding.
    package let der: [UInt8]
    /// The name of the subject (RFC 2253).
    package let subject: String
    /// The name of the issuer (RFC 2253).
    package let issuer: String
    /// The serial number, in DER. With the issuer it is unique.
    package let serialNumber: [UInt8]
    /// The first second of the validity, in Unix seconds.
    package let notBefore: Int64
    /// The last second of the validity, in Unix seconds.
    package let notAfter: Int64
    /// The public key; nil if it is not an RSA key of a supported size.
    package let rsaPublicKey: RSAPublicKey?
    /// SHA-256 of the DER encoding.
    package let fingerprintSHA256: [UInt8]

    let handle: X509Handle

    init(handle: X509Handle) throws(CryptographyError) {
        self.handle = handle
        der = try handle.der()
        subject = handle.subject
        issuer = handle.issuer
        serialNumber = try handle.serialNumber()
        notBefore = try handle.notBefore()
        notAfter = try handle.notAfter()
        rsaPublicKey = handle.publicKey().flatMap { try? RSAPublicKey(key: $0) }
        fingerprintSHA256 = SHA256.hash(der)
    }

    /// Reads one certificate in DER with nothing after it.
    ///
    /// - Throws: `invalidCertificate`.
    package convenience init(der: borrowing some ByteSource & ~Copyable) throws(CryptographyError) {
        guard der.octetCount <= Self.byteCountLimit else { throw failure(.invalidCertificate) }
        try self.init(handle: X509Handle(der: der))
    }

    /// Reads a PEM text (RFC 7468) with exactly one certificate.
    ///
    /// - Throws: `invalidCertificate`.
    package convenience init(pem: borrowing some ByteSource & ~Copyable) throws(CryptographyError) {
        let chain = try Self.readPEM(pem)
        guard let only = chain.first, chain.count == 1 else { throw failure(.invalidCertificate) }
        try self.init(handle: only)
    }

    /// Reads a PEM text with one or more certificates, and returns them in their order.
    ///
    /// - Throws: `invalidCertificate`.
    package static func readPEMChain(
        _ pem: borrowing some ByteSource & ~Copyable
    ) throws(CryptographyError) -> [Certificate] {
        var chain: [Certificate] = []
        for handle in try readPEM(pem) { chain.append(try Certificate(handle: handle)) }
        return chain
    }

    /// Whether a CA's key has signed it. It does not check names and validity.
    package func isSigned(by authority: Certificate) -> Bool {
        X509_verify(handle.pointer, X509_get0_pubkey(authority.handle.pointer)) == 1
    }

    /// The certificate in PEM, with a line end at the end.
    package func pem() -> String {
        PEM.text(of: der, label: "CERTIFICATE")
    }

    private static func readPEM(
        _ pem: borrowing some ByteSource & ~Copyable
    ) throws(CryptographyError) -> [X509Handle] {
        try pem.withOctets { (bytes, count) throws(CryptographyError) in
            guard count <= byteCountLimit else { throw failure(.invalidCertificate) }
            let input = try require(BIO_new_mem_buf(bytes, Int32(count)))
            defer { BIO_free(input) }
            return try readPEM(input)
        }
    }

    private static func readPEM(_ input: OpaquePointer) throws(CryptographyError) -> [X509Handle] {
        var handles: [X509Handle] = []
        // The callback fails, so that OpenSSL does not ask for a passphrase on the terminal.
        while let certificate = PEM_read_bio_X509(input, nil, { _, _, _, _ in -1 }, nil) {
            handles.append(try X509Handle(owning: certificate))
            guard handles.count <= chainCountLimit else { throw failure(.invalidCertificate) }
        }
        let isAtEnd = card_companion_is_end_of_pem(ERR_peek_last_error()) == 1
        ERR_clear_error()
        guard isAtEnd, !handles.isEmpty else { throw failure(.invalidCertificate) }
        return handles
    }
}

extension Certificate: Equatable {
    package static func == (one: Certificate, other: Certificate) -> Bool {
        one.der == other.der
    }
}
