internal import Cryptography

/// A certificate of a country signing CA (CSCA), a document signer or the signer of a master list (Doc 9303-12 section 7.1).
///
/// It is read tolerantly, because real ones break RFC 5280: explicit curve parameters, serial numbers that are not positive.
/// What decides is whether a trusted key signed it.
package struct SigningCertificate: Sendable {
    package static let byteCountLimit = 16_384

    /// The DER.
    package let encoded: [UInt8]
    package let serialNumber: SerialNumber
    package let issuer: DistinguishedName
    package let subject: DistinguishedName
    /// In Unix seconds.
    package let notBefore: Int64
    package let notAfter: Int64
    package let publicKey: SubjectPublicKey
    package let subjectKeyIdentifier: [UInt8]?
    package let authorityKeyIdentifier: [UInt8]?
    package let signatureAlgorithm: SignatureAlgorithm

    private let signed: Octets
    private let signature: [UInt8]
    private let keyUsage: UInt8?
    private let extendedKeyUsages: [ObjectIdentifier]
    private let isAuthority: Bool

    /// Reads DER with nothing after it.
    package init(_ bytes: Octets) throws(FormatError) {
        try self.init(TLVReader.only(.sequence, in: bytes))
    }

    init(_ element: TLVElement) throws(FormatError) {
        guard element.encoded.count <= Self.byteCountLimit else {
            throw FormatError("a certificate has more than \(Self.byteCountLimit) bytes")
        }
        encoded = element.encoded.bytes
        var outer = try element.reader()
        let content = try outer.read(.sequence)
        signed = content.encoded
        signatureAlgorithm = try SignatureAlgorithm(AlgorithmIdentifier(outer.read(.sequence)))
        signature = try outer.readBitString().bytes
        try outer.finish()

        var reader = try content.reader()
        _ = try reader.readIf(.context(0))  // the version
        serialNumber = try SerialNumber(reader.read(.integer))
        _ = try reader.read(.sequence)  // the algorithm again
        issuer = try DistinguishedName(reader.next())
        var validity = try reader.read(.sequence).reader()
        notBefore = try CalendarTime.unixSeconds(validity.next())
        notAfter = try CalendarTime.unixSeconds(validity.next())
        subject = try DistinguishedName(reader.next())
        publicKey = try SubjectPublicKey(reader.read(.sequence))
        let extensions = try CertificateExtensions(reader.readAll(atMost: 3).first { $0.tag == .context(3) })
        subjectKeyIdentifier = extensions.subjectKeyIdentifier
        authorityKeyIdentifier = extensions.authorityKeyIdentifier
        keyUsage = try extensions.keyUsage()
        extendedKeyUsages = try extensions.extendedKeyUsages()
        isAuthority = extensions.isAuthority
    }

    /// Whether this certificate has the signature of the issuer's key. Names are not compared.
    package func isSigned(by issuer: SigningCertificate) -> Bool {
        signatureAlgorithm.isValid(signature, of: signed, by: issuer.publicKey)
    }

    /// Whether a time, in Unix seconds, is within the validity.
    package func isValid(at unixSeconds: Int64) -> Bool { notBefore <= unixSeconds && unixSeconds <= notAfter }

    /// Whether the key usage, if there is one, allows signatures on certificates.
    package var allowsCertificateSigning: Bool { keyUsage.map { $0 & 0x04 != 0 } ?? true }
    /// Whether the key usage, if there is one, allows signatures on CRLs.
    package var allowsCRLSigning: Bool { keyUsage.map { $0 & 0x02 != 0 } ?? true }
    /// Whether the key usage, if there is one, allows other signatures.
    package var allowsDigitalSignature: Bool { keyUsage.map { $0 & 0x80 != 0 } ?? true }
    /// Whether it is for signing master lists (Doc 9303-12 section 7.1.2).
    package var isMasterListSigner: Bool {
        extendedKeyUsages.contains(ObjectIdentifier("2.23.136.1.1.3"))
    }
    /// Whether it can be for signing documents: it is not a CA's, and has no other purposes (Doc 9303-12 section 7.1.1).
    package var isDocumentSigner: Bool {
        !isAuthority && extendedKeyUsages.allSatisfy(Self.documentUsages.contains)
    }

    /// id-icao-mrtd-security-ldsSecurityObject and anyExtendedKeyUsage. Most document signers have no such extension.
    private static let documentUsages: Set = [
        ObjectIdentifier("2.23.136.1.1.1"), ObjectIdentifier("2.5.29.37.0"),
    ]

    /// The SHA-256 of the DER, which identifies the certificate.
    package var fingerprint: [UInt8] { HashAlgorithm.sha256.hash(encoded) }
}

/// The extensions of a certificate or a CRL by their identifiers.
struct CertificateExtensions {
    private static let countLimit = 64

    private let values: [ObjectIdentifier: Octets]
    private let critical: Set<ObjectIdentifier>

    /// - Parameter tagged: SEQUENCE OF SEQUENCE { identifier, critical?, value } in a context tag.
    init(_ tagged: TLVElement?) throws(FormatError) {
        var (values, critical): ([ObjectIdentifier: Octets], Set<ObjectIdentifier>) = ([:], [])
        if let tagged {
            var reader = try tagged.reader()
            var list = try reader.read(.sequence).reader()
            for element in try list.readAll(atMost: Self.countLimit) {
                var reader = try element.reader()
                let identifier = try reader.readObjectIdentifier()
                if let flag = try reader.readIf(.boolean), flag.content.first != 0 { critical.insert(identifier) }
                values[identifier] = try reader.read(.octetString).content
            }
        }
        self.values = values
        self.critical = critical
    }

    var criticalIdentifiers: Set<ObjectIdentifier> { critical }

    /// Nil if it is malformed. Then the issuer is found by name.
    var subjectKeyIdentifier: [UInt8]? {
        values[ObjectIdentifier("2.5.29.14")].flatMap { try? TLVReader.only(.octetString, in: $0).content.bytes }
    }

    /// The key identifier `[0]`; nil if there is none, or if it is malformed.
    var authorityKeyIdentifier: [UInt8]? {
        guard let value = values[ObjectIdentifier("2.5.29.35")],
            var reader = try? TLVReader.only(.sequence, in: value).reader()
        else { return nil }
        return try? reader.readIf(0x80)?.content.bytes
    }

    /// The first eight bits of the key usage; nil if there is none.
    func keyUsage() throws(FormatError) -> UInt8? {
        guard let value = values[ObjectIdentifier("2.5.29.15")] else { return nil }
        let bits = try TLVReader.only(.bitString, in: value).content
        return bits.count > 1 ? bits[1] : 0
    }

    /// Whether the basic constraints say that the certificate is a CA's, or cannot be read.
    var isAuthority: Bool {
        guard let value = values[ObjectIdentifier("2.5.29.19")] else { return false }
        guard var reader = try? TLVReader.only(.sequence, in: value).reader() else { return true }
        guard reader.nextTag == .boolean else { return false }
        return (try? reader.next().content.first) != 0
    }

    /// The CRL number, big-endian, of that many bytes; nil if there is none, or if it is negative or longer.
    func revocationListNumber(byteCount: Int) -> [UInt8]? {
        guard let value = values[ObjectIdentifier("2.5.29.20")],
            let bytes = try? TLVReader.only(.integer, in: value).content.bytes, bytes.first.map({ $0 < 0x80 }) == true
        else { return nil }
        let digits = bytes.drop { $0 == 0 }
        return digits.count <= byteCount ? Array(repeating: 0, count: byteCount - digits.count) + digits : nil
    }

    func extendedKeyUsages() throws(FormatError) -> [ObjectIdentifier] {
        guard let value = values[ObjectIdentifier("2.5.29.37")] else { return [] }
        var reader = try TLVReader.only(.sequence, in: value).reader()
        var usages: [ObjectIdentifier] = []
        for element in try reader.readAll(atMost: Self.countLimit) { usages.append(try ObjectIdentifier(element)) }
        return usages
    }
}
