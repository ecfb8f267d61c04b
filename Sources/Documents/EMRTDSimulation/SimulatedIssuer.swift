package import Cryptography
package import EMRTD

/// A made-up state: a country signing CA and a document signer, with keys of their own. Do not trust it outside of trials.
package struct SimulatedIssuer: Sendable {
    /// Makes the keys. Tests can give known ones.
    package typealias KeyMaker = @Sendable (NamedCurve) throws -> ECPrivateKey

    package static let randomKeys: KeyMaker = { try ECPrivateKey.generate(on: $0) }

    /// What the document signer's certificate says. The defaults are those of a real one.
    package struct SignerProfile: Sendable {
        /// The issuer's name. Some states write it differently from their CA.
        package var issuerCommonName = "CSCA Utopia"
        package var extendedKeyUsage: ObjectIdentifier?
        /// Whether it says that it is a CA.
        package var isAuthority = false
        package var certificateHash = HashAlgorithm.sha256

        package init() {}
    }

    private static let day: Int64 = 86_400
    private static let commonName = "CSCA Utopia"

    /// The country of the certificates.
    package let country: String
    /// The issuing state in the MRZ.
    package let state: String
    /// The CA's certificate, in DER: the trust anchor.
    package let certificate: [UInt8]
    /// The document signer's certificate, in DER.
    package let signerCertificate: [UInt8]

    private let key: ECPrivateKey
    private let signerKey: ECPrivateKey
    private let profile: SignerProfile
    private let listSignerKey: ECPrivateKey
    private let listSignerCertificate: [UInt8]
    private let begin: Int64

    /// - Parameter unixSeconds: now. The certificates begin ten days before and end ten years later.
    package init(
        country: String = "UT", state: String = "UTO", at unixSeconds: Int64, signer profile: SignerProfile = .init(),
        keys: KeyMaker = randomKeys
    ) throws {
        self.country = country
        self.state = state
        self.profile = profile
        begin = unixSeconds - 10 * Self.day
        key = try keys(.brainpoolP384r1)
        signerKey = try keys(.brainpoolP256r1)
        listSignerKey = try keys(.p256)
        let authority = CertificateContent(
            serialNumber: 1, country: country, commonName: Self.commonName, issuerCommonName: Self.commonName,
            key: key.publicKey, authorityKey: key.publicKey, keyUsage: 0x06)
        let signer = CertificateContent(
            serialNumber: 2, country: country, commonName: "Document Signer",
            issuerCommonName: profile.issuerCommonName, key: signerKey.publicKey, authorityKey: key.publicKey,
            keyUsage: 0x80, extendedKeyUsage: profile.extendedKeyUsage, isAuthority: profile.isAuthority)
        let listSigner = CertificateContent(
            serialNumber: 3, country: country, commonName: "Master List Signer", issuerCommonName: Self.commonName,
            key: listSignerKey.publicKey, authorityKey: key.publicKey, keyUsage: 0x80,
            extendedKeyUsage: ObjectIdentifier("2.23.136.1.1.3"))
        let end = begin + 3660 * Self.day
        certificate = try DERParts.signed(authority.encoded(from: begin, to: end), by: key)
        signerCertificate = try DERParts.signed(signer.encoded(from: begin, to: end), by: key, profile.certificateHash)
        listSignerCertificate = try DERParts.signed(listSigner.encoded(from: begin, to: end), by: key)
    }

    /// EF.SOD over these data groups.
    ///
    /// - Parameters:
    ///   - signingTime: nil for a day after the beginning of the signer's certificate.
    ///   - otherCertificates: those before the signer's.
    package func securityObject(
        of dataGroups: [Int: [UInt8]], signingTime: Int64? = nil, otherCertificates: [[UInt8]] = []
    ) throws -> [UInt8] {
        let hashes = dataGroups.keys.sorted().map { number in
            DERWriter.sequence(
                DERWriter.integer(number), DERWriter.octetString(HashAlgorithm.sha256.hash(dataGroups[number] ?? [])))
        }
        let content = DERWriter.sequence(
            DERWriter.integer(0), DERParts.sha256, DERWriter.element(.sequence, hashes))
        let message = try SignedMessageContent(
            contentType: ObjectIdentifier("2.23.136.1.1.1"), content: content,
            signingTime: signingTime ?? begin + Self.day,
            issuer: DERParts.name(country: country, commonName: profile.issuerCommonName), serialNumber: 2
        ).encoded(signedBy: signerKey, certificates: otherCertificates + [signerCertificate])
        return DERWriter.element(FileName.securityObject.tag, message)
    }

    /// A master list of certificates, signed by this state.
    package func masterList(of certificates: [[UInt8]], signingTime: Int64) throws -> [UInt8] {
        let content = DERWriter.sequence(DERWriter.integer(0), DERWriter.set(certificates))
        return try SignedMessageContent(
            contentType: ObjectIdentifier("2.23.136.1.1.2"), content: content, signingTime: signingTime,
            issuer: DERParts.name(country: country, commonName: Self.commonName), serialNumber: 3
        ).encoded(signedBy: listSignerKey, certificates: [listSignerCertificate, certificate])
    }

    /// A CRL.
    ///
    /// - Parameters:
    ///   - revokesSigner: whether the document signer is on it.
    ///   - revokesListSigner: whether the signer of master lists is on it.
    ///   - number: the CRL number; nil for none.
    package func revocationList(
        revokesSigner: Bool, revokesListSigner: Bool = false, number: Int? = nil, thisUpdate: Int64, nextUpdate: Int64
    ) throws -> [UInt8] {
        let numbers = (revokesSigner ? [2] : []) + (revokesListSigner ? [3] : [])
        let revoked = numbers.map { DERWriter.sequence(DERWriter.integer($0), DERParts.time(thisUpdate)) }
        let entries = revoked.isEmpty ? [] : DERWriter.element(.sequence, revoked)
        let extensions = number.map { number in
            let value = DERWriter.octetString(DERWriter.integer(number))
            let list = DERWriter.sequence(
                DERWriter.sequence(DERWriter.objectIdentifier(ObjectIdentifier("2.5.29.20")), value))
            return DERWriter.element(.context(0), list)
        }
        let content = DERWriter.sequence(
            DERWriter.integer(1), DERParts.ecdsaWithSHA256,
            DERParts.name(country: country, commonName: Self.commonName), DERParts.time(thisUpdate),
            DERParts.time(nextUpdate), entries, extensions ?? [])
        return try DERParts.signed(content, by: key)
    }
}

/// What a certificate says.
private struct CertificateContent {
    let serialNumber: Int
    let country: String
    let commonName: String
    let issuerCommonName: String
    let key: ECPublicKey
    let authorityKey: ECPublicKey
    let keyUsage: UInt8
    var extendedKeyUsage: ObjectIdentifier?
    var isAuthority = false

    func encoded(from begin: Int64, to end: Int64) -> [UInt8] {
        DERWriter.sequence(
            DERWriter.element(.context(0), DERWriter.integer(2)), DERWriter.integer(serialNumber),
            DERParts.ecdsaWithSHA256, DERParts.name(country: country, commonName: issuerCommonName),
            DERWriter.sequence(DERParts.time(begin), DERParts.time(end)),
            DERParts.name(country: country, commonName: commonName), DERParts.publicKeyInfo(key),
            DERWriter.element(.context(3), DERWriter.element(.sequence, extensions)))
    }

    private var extensions: [[UInt8]] {
        func value(_ identifier: ObjectIdentifier, _ value: [UInt8]) -> [UInt8] {
            DERWriter.sequence(DERWriter.objectIdentifier(identifier), DERWriter.octetString(value))
        }
        let own = DERWriter.octetString(DERParts.keyIdentifier(key))
        let authority = DERWriter.sequence(DERWriter.element(0x80, DERParts.keyIdentifier(authorityKey)))
        let unused = UInt8(keyUsage.trailingZeroBitCount)
        var extensions = [
            value(ObjectIdentifier("2.5.29.14"), own), value(ObjectIdentifier("2.5.29.35"), authority),
            value(ObjectIdentifier("2.5.29.15"), DERWriter.element(.bitString, [unused, keyUsage])),
        ]
        if let extendedKeyUsage {
            let usages = DERWriter.sequence(DERWriter.objectIdentifier(extendedKeyUsage))
            extensions.append(value(ObjectIdentifier("2.5.29.37"), usages))
        }
        if isAuthority {
            let constraints = DERWriter.sequence(DERWriter.element(.boolean, [0xFF]))
            extensions.append(value(ObjectIdentifier("2.5.29.19"), constraints))
        }
        return extensions
    }
}

/// What a signed message says (CMS SignedData).
private struct SignedMessageContent {
    let contentType: ObjectIdentifier
    let content: [UInt8]
    let signingTime: Int64
    let issuer: [UInt8]
    let serialNumber: Int

    func encoded(signedBy key: ECPrivateKey, certificates: [[UInt8]]) throws -> [UInt8] {
        let attributes = DERWriter.set([
            attribute(ObjectIdentifier("1.2.840.113549.1.9.3"), DERWriter.objectIdentifier(contentType)),
            attribute(ObjectIdentifier("1.2.840.113549.1.9.5"), DERParts.time(signingTime)),
            attribute(
                ObjectIdentifier("1.2.840.113549.1.9.4"),
                DERWriter.octetString(HashAlgorithm.sha256.hash(content))),
        ])
        let signature = try DERParts.signature(of: attributes, by: key)
        // In the message, the attributes have a context tag instead of that of a set.
        let signer = DERWriter.sequence(
            DERWriter.integer(1), DERWriter.sequence(issuer, DERWriter.integer(serialNumber)), DERParts.sha256,
            TLVTag.context(0).bytes + attributes.dropFirst(), DERParts.ecdsaWithSHA256,
            DERWriter.octetString(signature))
        let body = DERWriter.sequence(
            DERWriter.integer(3), DERWriter.set([DERParts.sha256]),
            DERWriter.sequence(
                DERWriter.objectIdentifier(contentType),
                DERWriter.element(.context(0), DERWriter.octetString(content))),
            DERWriter.element(.context(0), certificates), DERWriter.set([signer]))
        return DERWriter.sequence(
            DERWriter.objectIdentifier(ObjectIdentifier("1.2.840.113549.1.7.2")),
            DERWriter.element(.context(0), body))
    }

    private func attribute(_ identifier: ObjectIdentifier, _ value: [UInt8]) -> [UInt8] {
        DERWriter.sequence(DERWriter.objectIdentifier(identifier), DERWriter.set([value]))
    }
}
