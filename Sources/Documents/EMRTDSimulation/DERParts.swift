internal import Cryptography
internal import EMRTD

/// The parts of certificates and messages that the simulation writes.
enum DERParts {
    static let ecdsaWithSHA256 = DERWriter.sequence(DERWriter.objectIdentifier(ObjectIdentifier("1.2.840.10045.4.3.2")))
    private static let ecdsaWithSHA1 = DERWriter.sequence(
        DERWriter.objectIdentifier(ObjectIdentifier("1.2.840.10045.4.1")))
    static let sha256 = DERWriter.sequence(DERWriter.objectIdentifier(ObjectIdentifier("2.16.840.1.101.3.4.2.1")))

    /// A signature of ECDSA in DER.
    static func signature(
        of message: [UInt8], by key: ECPrivateKey, _ hash: HashAlgorithm = .sha256
    ) throws -> [UInt8] {
        let (r, s) = try key.signECDSA(digest: hash.hash(message))
        return DERWriter.sequence(DER.integer(r), DER.integer(s))
    }

    /// A certificate or a CRL: content, algorithm, signature.
    ///
    /// - Parameter hash: SHA-256, or SHA-1 as old ones have it.
    static func signed(
        _ content: [UInt8], by key: ECPrivateKey, _ hash: HashAlgorithm = .sha256
    ) throws -> [UInt8] {
        let algorithm = hash == .sha1 ? ecdsaWithSHA1 : ecdsaWithSHA256
        return DERWriter.sequence(
            content, algorithm, DERWriter.bitString(try signature(of: content, by: key, hash)))
    }

    /// A time until 2049 as UTCTime.
    static func time(_ unixSeconds: Int64) -> [UInt8] {
        guard let date = CalendarDate(unixSeconds: unixSeconds) else { return [] }
        let second = Int((unixSeconds % 86_400 + 86_400) % 86_400)
        let numbers = [date.year % 100, date.month, date.day, second / 3600, second / 60 % 60, second % 60]
        return DERWriter.element(.utcTime, Array((numbers.map(twoDigits).joined() + "Z").utf8))
    }

    static func twoDigits(_ number: Int) -> String { (number < 10 ? "0" : "") + String(number) }

    /// SubjectPublicKeyInfo with explicit parameters, as real documents have them.
    static func publicKeyInfo(_ key: ECPublicKey) -> [UInt8] {
        let algorithm = DERWriter.sequence(
            DERWriter.objectIdentifier(ObjectIdentifier("1.2.840.10045.2.1")), explicitParameters(of: key.curve))
        return DERWriter.sequence(algorithm, DERWriter.bitString(key.point))
    }

    /// SubjectPublicKeyInfo of PKCS #3.
    static func publicKeyInfo(_ key: DHPublicKey) -> [UInt8] {
        let parameters = DERWriter.sequence(DER.integer(key.group.prime), DER.integer(key.group.generator))
        let algorithm = DERWriter.sequence(
            DERWriter.objectIdentifier(ObjectIdentifier("1.2.840.113549.1.3.1")), parameters)
        return DERWriter.sequence(algorithm, DERWriter.bitString(DER.integer(key.number)))
    }

    private static func explicitParameters(of curve: NamedCurve) -> [UInt8] {
        guard let known = curve.parameters else { return DERWriter.objectIdentifier(curve.identifier) }
        let field = DERWriter.sequence(
            DERWriter.objectIdentifier(ObjectIdentifier("1.2.840.10045.1.1")), DER.integer(known.prime))
        let coefficients = [known.a, known.b].map {
            DERWriter.octetString($0.withLeadingZeros(to: curve.coordinateByteCount))
        }
        return DERWriter.sequence(
            DERWriter.integer(1), field, DERWriter.element(.sequence, coefficients),
            DERWriter.octetString(known.generator), DER.integer(known.order), DER.integer(known.cofactor))
    }

    static func name(country: String, commonName: String) -> [UInt8] {
        func attribute(_ identifier: ObjectIdentifier, _ tag: TLVTag, _ text: String) -> [UInt8] {
            DERWriter.set([
                DERWriter.sequence(DERWriter.objectIdentifier(identifier), DERWriter.element(tag, Array(text.utf8)))
            ])
        }
        return DERWriter.sequence(
            attribute(ObjectIdentifier("2.5.4.6"), 0x13, country),
            attribute(ObjectIdentifier("2.5.4.3"), 0x0C, commonName))
    }

    static func keyIdentifier(_ key: ECPublicKey) -> [UInt8] { HashAlgorithm.sha1.hash(key.point) }
}
