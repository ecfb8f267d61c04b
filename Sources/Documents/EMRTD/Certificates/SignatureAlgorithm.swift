package import Cryptography
package import SecureMemory

/// How a certificate, a message or a chip signs.
package struct SignatureAlgorithm: Sendable {
    enum Scheme: Sendable {
        case pkcs1
        case pss(maskHash: HashAlgorithm, saltByteCount: Int)
        /// r and s in DER (RFC 3279 section 2.2.3).
        case ecdsa
        /// r and s of equal length (TR-03111 section 5.2.1).
        case plainECDSA
    }

    let scheme: Scheme
    package let hash: HashAlgorithm

    /// - Parameter digest: the hash that is meant if the algorithm names only the kind of key.
    init(_ algorithm: AlgorithmIdentifier, digest: HashAlgorithm? = nil) throws(FormatError) {
        let identifier = algorithm.identifier
        if identifier == .rsassaPSS {
            (scheme, hash) = try Self.pss(algorithm.parameters)
        } else if let known = Self.known[identifier] {
            (scheme, hash) = known
        } else if let digest, identifier == .rsaEncryption || identifier == .ecPublicKey {
            (scheme, hash) = (identifier == .rsaEncryption ? .pkcs1 : .ecdsa, digest)
        } else {
            throw FormatError("the signature algorithm \(identifier) is unknown")
        }
    }

    /// RSASSA-PSS-params (RFC 4055 section 3.1): each has a default.
    private static func pss(_ parameters: TLVElement?) throws(FormatError) -> (Scheme, HashAlgorithm) {
        var (hash, maskHash, saltByteCount): (HashAlgorithm, HashAlgorithm, Int) = (.sha1, .sha1, 20)
        guard var reader = try parameters?.reader() else {
            return (.pss(maskHash: maskHash, saltByteCount: saltByteCount), hash)
        }
        if let tagged = try reader.readIf(.context(0)) {
            hash = try AlgorithmIdentifier(only(in: tagged)).hashAlgorithm()
        }
        if let tagged = try reader.readIf(.context(1)) {
            let mask = try AlgorithmIdentifier(only(in: tagged))
            guard mask.identifier == ObjectIdentifier("1.2.840.113549.1.1.8"), let inner = mask.parameters else {
                throw FormatError("a mask function is not MGF1")
            }
            maskHash = try AlgorithmIdentifier(inner).hashAlgorithm()
        }
        if let tagged = try reader.readIf(.context(2)) {
            var number = try tagged.reader()
            saltByteCount = try number.readSmallInteger()
        }
        if let tagged = try reader.readIf(.context(3)) {
            var number = try tagged.reader()
            guard try number.readSmallInteger() == 1 else { throw FormatError("a trailer of PSS is not 1") }
        }
        try reader.finish()
        return (.pss(maskHash: maskHash, saltByteCount: saltByteCount), hash)
    }

    private static func only(in element: TLVElement) throws(FormatError) -> TLVElement {
        var reader = try element.reader()
        let child = try reader.next()
        try reader.finish()
        return child
    }

    /// Whether the key made this signature of the message. False if the key is of another kind.
    package func isValid(
        _ signature: [UInt8], of message: borrowing some ByteSource & ~Copyable, by key: SubjectPublicKey
    ) -> Bool {
        isValid(signature, digest: hash.hash(message), by: key)
    }

    /// The same for a message that was hashed already.
    func isValid(_ signature: [UInt8], digest: [UInt8], by key: SubjectPublicKey) -> Bool {
        switch (scheme, key) {
        case (.pkcs1, .rsa(let key)):
            return key.isValidPKCS1(signature: signature, digest: digest, hash: hash)
        case (.pss(let maskHash, let saltByteCount), .rsa(let key)):
            return key.isValidPSS(
                signature: signature, digest: digest, hash: hash, maskHash: maskHash, saltByteCount: saltByteCount)
        case (.ecdsa, .ellipticCurve(let key)):
            return ECDSASignature(der: signature)?.isValid(digest: digest, by: key) ?? false
        case (.plainECDSA, .ellipticCurve(let key)):
            return ECDSASignature(plain: signature, key)?.isValid(digest: digest, by: key) ?? false
        default: return false
        }
    }

    private static let known: [ObjectIdentifier: (Scheme, HashAlgorithm)] = [
        ObjectIdentifier("1.2.840.113549.1.1.5"): (.pkcs1, .sha1),
        ObjectIdentifier("1.2.840.113549.1.1.14"): (.pkcs1, .sha224),
        ObjectIdentifier("1.2.840.113549.1.1.11"): (.pkcs1, .sha256),
        ObjectIdentifier("1.2.840.113549.1.1.12"): (.pkcs1, .sha384),
        ObjectIdentifier("1.2.840.113549.1.1.13"): (.pkcs1, .sha512),
        ObjectIdentifier("1.2.840.10045.4.1"): (.ecdsa, .sha1),
        ObjectIdentifier("1.2.840.10045.4.3.1"): (.ecdsa, .sha224),
        ObjectIdentifier("1.2.840.10045.4.3.2"): (.ecdsa, .sha256),
        ObjectIdentifier("1.2.840.10045.4.3.3"): (.ecdsa, .sha384),
        ObjectIdentifier("1.2.840.10045.4.3.4"): (.ecdsa, .sha512),
        // ecdsa-plain-SHA… (TR-03111 section 5.2.1).
        ObjectIdentifier("0.4.0.127.0.7.1.1.4.1.1"): (.plainECDSA, .sha1),
        ObjectIdentifier("0.4.0.127.0.7.1.1.4.1.2"): (.plainECDSA, .sha224),
        ObjectIdentifier("0.4.0.127.0.7.1.1.4.1.3"): (.plainECDSA, .sha256),
        ObjectIdentifier("0.4.0.127.0.7.1.1.4.1.4"): (.plainECDSA, .sha384),
        ObjectIdentifier("0.4.0.127.0.7.1.1.4.1.5"): (.plainECDSA, .sha512),
    ]

    /// The hash of an ECDSA algorithm that has this identifier.
    static func ecdsaHash(of identifier: ObjectIdentifier) -> HashAlgorithm? {
        guard let (scheme, hash) = known[identifier] else { return nil }
        switch scheme {
        case .ecdsa, .plainECDSA: return hash
        case .pkcs1, .pss: return nil
        }
    }
}

struct ECDSASignature {
    let r: [UInt8]
    let s: [UInt8]

    /// SEQUENCE { r, s }.
    init?(der: [UInt8]) {
        guard var reader = try? TLVReader.only(.sequence, in: Octets(copying: der)).reader(),
            let r = try? reader.readUnsignedInteger(), let s = try? reader.readUnsignedInteger(), reader.isAtEnd
        else { return nil }
        (self.r, self.s) = (r, s)
    }

    /// r and s, each as long as the order.
    init?(plain: [UInt8], _ key: ECPublicKey) {
        let size = key.curve.coordinateByteCount
        guard plain.count == 2 * size else { return nil }
        (r, s) = (Array(plain.prefix(size)), Array(plain.suffix(size)))
    }

    func isValid(digest: [UInt8], by key: ECPublicKey) -> Bool {
        key.isValidECDSA(r: r, s: s, digest: digest)
    }
}
