package import Cryptography

/// A public key of a certificate, a chip or a message: a SubjectPublicKeyInfo (RFC 5280 section 4.1).
package enum SubjectPublicKey: Sendable {
    case rsa(RSAVerificationKey)
    case ellipticCurve(ECPublicKey)
    /// Only for key agreement.
    case diffieHellman(DHPublicKey)

    /// - Throws: `FormatError` also for keys that are too short or too long, not on their curve, or on a curve that is not a
    ///   ``NamedCurve``.
    init(_ info: TLVElement) throws(FormatError) {
        var reader = try info.reader()
        let algorithm = try AlgorithmIdentifier(reader.read(.sequence))
        let key = try reader.readBitString()
        try reader.finish()
        switch algorithm.identifier {
        case .rsaEncryption, .rsassaPSS: self = .rsa(try Self.rsa(key))
        case .ecPublicKey, .ecDH: self = .ellipticCurve(try Self.ellipticCurve(key, algorithm.parameters))
        case .dhKeyAgreement, .dhPublicNumber: self = .diffieHellman(try Self.diffieHellman(key, algorithm))
        default: throw FormatError("a public key has the unknown algorithm \(algorithm.identifier)")
        }
    }

    private static func rsa(_ key: Octets) throws(FormatError) -> RSAVerificationKey {
        var reader = try TLVReader.only(.sequence, in: key).reader()
        let (modulus, exponent) = (try reader.readUnsignedInteger(), try reader.readUnsignedInteger())
        try reader.finish()
        guard let key = try? RSAVerificationKey(modulus: modulus, exponent: exponent) else {
            throw FormatError("an RSA key has an unusable modulus or exponent")
        }
        return key
    }

    private static func ellipticCurve(_ key: Octets, _ parameters: TLVElement?) throws(FormatError) -> ECPublicKey {
        guard let parameters else { throw FormatError("an elliptic curve key names no curve") }
        let curve = try NamedCurve(parameters: parameters)
        guard let key = try? ECPublicKey(curve: curve, point: key.bytes) else {
            throw FormatError("a point is not an uncompressed one on \(curve)")
        }
        return key
    }

    private static func diffieHellman(
        _ key: Octets, _ algorithm: AlgorithmIdentifier
    ) throws(FormatError) -> DHPublicKey {
        guard var parameters = try algorithm.parameters?.reader() else {
            throw FormatError("a Diffie-Hellman key names no group")
        }
        let (prime, generator) = (try parameters.readUnsignedInteger(), try parameters.readUnsignedInteger())
        var number = try TLVReader(key)
        let y = try number.readUnsignedInteger()
        try number.finish()
        let bits = try privateBitCount(algorithm.identifier, &parameters)
        guard let group = try? DHGroup(prime: prime, generator: generator, privateBitCount: bits),
            let key = try? DHPublicKey(group: group, number: y)
        else { throw FormatError("a Diffie-Hellman key has unusable numbers") }
        return key
    }

    /// In PKCS #3 a length, in X9.42 that of the subgroup's order.
    private static func privateBitCount(
        _ identifier: ObjectIdentifier, _ parameters: inout TLVReader
    ) throws(FormatError) -> Int? {
        guard identifier == .dhPublicNumber else {
            return parameters.nextTag == .integer ? try parameters.readSmallInteger() : nil
        }
        let order = try parameters.readUnsignedInteger()
        return order.count * 8 - (order.first?.leadingZeroBitCount ?? 0)
    }
}

/// An algorithm and its parameters (RFC 5280 section 4.1.1.2).
struct AlgorithmIdentifier: Sendable {
    let identifier: ObjectIdentifier
    /// Nil if there are none, or if they are NULL.
    let parameters: TLVElement?

    init(_ element: TLVElement) throws(FormatError) {
        guard element.tag == .sequence else { throw FormatError("an algorithm is not a sequence") }
        var reader = try element.reader()
        identifier = try reader.readObjectIdentifier()
        let parameters = reader.isAtEnd ? nil : try reader.next()
        try reader.finish()
        self.parameters = parameters?.tag == .null ? nil : parameters
    }

    /// The hash function, if it is one.
    func hashAlgorithm() throws(FormatError) -> HashAlgorithm {
        guard let hash = HashAlgorithm.byIdentifier[identifier] else {
            throw FormatError("\(identifier) is not a known hash function")
        }
        return hash
    }
}

extension HashAlgorithm {
    static let byIdentifier: [ObjectIdentifier: HashAlgorithm] = [
        ObjectIdentifier("1.3.14.3.2.26"): .sha1,
        ObjectIdentifier("2.16.840.1.101.3.4.2.4"): .sha224,
        ObjectIdentifier("2.16.840.1.101.3.4.2.1"): .sha256,
        ObjectIdentifier("2.16.840.1.101.3.4.2.2"): .sha384,
        ObjectIdentifier("2.16.840.1.101.3.4.2.3"): .sha512,
    ]
}

extension ObjectIdentifier {
    static let rsaEncryption = ObjectIdentifier("1.2.840.113549.1.1.1")
    static let rsassaPSS = ObjectIdentifier("1.2.840.113549.1.1.10")
    static let ecPublicKey = ObjectIdentifier("1.2.840.10045.2.1")
    static let ecDH = ObjectIdentifier("1.3.132.1.12")
    static let primeField = ObjectIdentifier("1.2.840.10045.1.1")
    static let dhKeyAgreement = ObjectIdentifier("1.2.840.113549.1.3.1")
    static let dhPublicNumber = ObjectIdentifier("1.2.840.10046.2.1")
}
