internal import Cryptography

/// A signed message (CMS SignedData, RFC 5652 section 5): a security object or a master list. It can be BER with indefinite
/// lengths.
struct SignedMessage: Sendable {
    // Each pair costs a verification, so there are few. Real messages have one signer, and one or two certificates.
    private static let certificateCountLimit = 8
    private static let signerCountLimit = 4

    let contentType: ObjectIdentifier
    let content: Octets
    let certificates: [SigningCertificate]

    private let signers: [Signer]

    /// Who signed, and how.
    struct Verified: Sendable {
        let certificate: SigningCertificate
        /// In Unix seconds; nil if it is not signed.
        let signingTime: Int64?
        /// The hashes of the content and of the attributes.
        let hashes: Set<HashAlgorithm>
    }

    init(_ element: TLVElement) throws(FormatError) {
        guard element.tag == .sequence else { throw FormatError("there is no signed message") }
        var outer = try element.reader()
        let type = try outer.readObjectIdentifier()
        guard type == ObjectIdentifier("1.2.840.113549.1.7.2") else {
            throw FormatError("the content type \(type) is not signedData")
        }
        var wrapper = try outer.read(.context(0)).reader()
        try outer.finish()
        var reader = try wrapper.read(.sequence).reader()
        try wrapper.finish()

        guard 1...5 ~= (try reader.readSmallInteger()) else {
            throw FormatError("the version of signedData is unknown")
        }
        _ = try reader.read(.set)  // the hash functions, which each signer names again
        (contentType, content) = try Self.content(reader.read(.sequence))
        certificates = try Self.certificates(reader.readIf(.context(0)))
        _ = try reader.readIf(.context(1))  // CRLs, which come from elsewhere
        var list = try reader.read(.set).reader()
        try reader.finish()
        var signers: [Signer] = []
        for element in try list.readAll(atMost: Self.signerCountLimit) { signers.append(try Signer(element)) }
        self.signers = signers
    }

    /// EncapsulatedContentInfo. The octet string can be in parts.
    private static func content(_ element: TLVElement) throws(FormatError) -> (ObjectIdentifier, Octets) {
        var reader = try element.reader()
        let type = try reader.readObjectIdentifier()
        var wrapper = try reader.read(.context(0)).reader()
        try reader.finish()
        let string = try wrapper.next()
        try wrapper.finish()
        switch string.tag {
        case .octetString: return (type, string.content)
        case .constructedOctetString:
            var reader = try string.reader()
            let parts = try reader.readAll()
            guard parts.allSatisfy({ $0.tag == .octetString }) else {
                throw FormatError("a part of the content is not an octet string")
            }
            return (type, Octets(joining: parts.map(\.content)))
        default: throw FormatError("the content is not an octet string")
        }
    }

    /// The X.509 certificates of the message that can be read. Other kinds (in context tags) are ignored.
    private static func certificates(_ set: TLVElement?) throws(FormatError) -> [SigningCertificate] {
        guard let set else { return [] }
        var (certificates, reader): ([SigningCertificate], TLVReader) = ([], try set.reader())
        for element in try reader.readAll(atMost: certificateCountLimit) where element.tag == .sequence {
            // A certificate that cannot be read is skipped. If it was the signer's, the signature does not count.
            if let certificate = try? SigningCertificate(element) { certificates.append(certificate) }
        }
        return certificates
    }

    /// The first signer whose signature is valid; nil if there is none.
    func verify() -> Verified? {
        for signer in signers {
            if let certificate = signer.certificate(of: self) {
                return Verified(
                    certificate: certificate, signingTime: signer.signingTime,
                    hashes: [signer.digestAlgorithm, signer.signatureAlgorithm.hash])
            }
        }
        return nil
    }
}

/// A SignerInfo (RFC 5652 section 5.3) with signed attributes.
private struct Signer: Sendable {
    /// How many certificates are tried. In a real message, only one can be the signer's.
    private static let candidateCountLimit = 3

    private enum Identifier: Sendable {
        case issuer(DistinguishedName, SerialNumber)
        case key([UInt8])
    }

    let digestAlgorithm: HashAlgorithm
    let signatureAlgorithm: SignatureAlgorithm
    let signingTime: Int64?

    private let identifier: Identifier
    private let attributes: [UInt8]
    private let contentType: ObjectIdentifier
    private let messageDigest: Octets
    private let signature: [UInt8]

    init(_ element: TLVElement) throws(FormatError) {
        guard element.tag == .sequence else { throw FormatError("a signer is not a sequence") }
        var reader = try element.reader()
        _ = try reader.readSmallInteger()  // the version
        identifier = try Self.identifier(reader.next())
        digestAlgorithm = try AlgorithmIdentifier(reader.read(.sequence)).hashAlgorithm()
        let attributes = try reader.read(.context(0))
        // The signature is over the attributes as a SET OF, with a definite length.
        self.attributes = DERWriter.element(.set, attributes.content.bytes)
        signatureAlgorithm = try SignatureAlgorithm(
            AlgorithmIdentifier(reader.read(.sequence)), digest: digestAlgorithm)
        signature = try reader.read(.octetString).content.bytes
        _ = try reader.readIf(.context(1))  // attributes that nobody signed
        try reader.finish()
        let values = try SignedAttributes(attributes)
        contentType = try ObjectIdentifier(values.required(ObjectIdentifier("1.2.840.113549.1.9.3")))
        messageDigest = try values.required(ObjectIdentifier("1.2.840.113549.1.9.4")).content
        signingTime = try values.optional(ObjectIdentifier("1.2.840.113549.1.9.5"))
            .map { (element) throws(FormatError) in try CalendarTime.unixSeconds(element) }
    }

    private static func identifier(_ element: TLVElement) throws(FormatError) -> Identifier {
        if element.tag == 0x80 { return .key(element.content.bytes) }
        guard element.tag == .sequence else { throw FormatError("a signer is named by tag \(element.tag)") }
        var reader = try element.reader()
        let issuer = try DistinguishedName(reader.next())
        let serialNumber = try SerialNumber(reader.next())
        try reader.finish()
        return .issuer(issuer, serialNumber)
    }

    /// The certificates that can be the signer's, the likeliest first. The signature decides. Names in real documents differ
    /// from the certificate's, so a certificate is also tried if only its serial number fits, or if it is the only one.
    private func candidates(among certificates: [SigningCertificate]) -> [SigningCertificate] {
        let meant = certificates.filter { certificate in
            switch identifier {
            case .key(let key): certificate.subjectKeyIdentifier == key
            case .issuer(let issuer, let number): certificate.issuer == issuer && certificate.serialNumber == number
            }
        }
        if !meant.isEmpty { return meant }
        if certificates.count == 1 { return certificates }
        guard case .issuer(_, let number) = identifier else { return [] }
        return certificates.filter { $0.serialNumber == number }
    }

    /// The certificate whose key made the signature; nil if there is none, or if the signature is about something else.
    func certificate(of message: SignedMessage) -> SigningCertificate? {
        guard contentType == message.contentType, messageDigest == digestAlgorithm.hash(message.content) else {
            return nil
        }
        let digest = signatureAlgorithm.hash.hash(attributes)
        return candidates(among: message.certificates).filter(\.allowsDigitalSignature)
            .prefix(Self.candidateCountLimit)
            .first { signatureAlgorithm.isValid(signature, digest: digest, by: $0.publicKey) }
    }
}

/// Attributes with one value each, by their identifiers.
private struct SignedAttributes {
    private static let countLimit = 32

    private let values: [ObjectIdentifier: TLVElement]

    init(_ set: TLVElement) throws(FormatError) {
        var (values, reader): ([ObjectIdentifier: TLVElement], TLVReader) = ([:], try set.reader())
        for element in try reader.readAll(atMost: Self.countLimit) {
            var attribute = try element.reader()
            let identifier = try attribute.readObjectIdentifier()
            var set = try attribute.read(.set).reader()
            try attribute.finish()
            let value = try set.next()
            guard values.updateValue(value, forKey: identifier) == nil else {
                throw FormatError("a signed attribute occurs twice")
            }
        }
        self.values = values
    }

    func optional(_ identifier: ObjectIdentifier) -> TLVElement? { values[identifier] }

    func required(_ identifier: ObjectIdentifier) throws(FormatError) -> TLVElement {
        guard let value = values[identifier] else {
            throw FormatError("the signed attribute \(identifier) is missing")
        }
        return value
    }
}
