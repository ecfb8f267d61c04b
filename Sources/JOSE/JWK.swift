public import Cryptography

/// A public key as the server publishes it: a JSON Web Key (RFC 7517).
public struct JWK: Sendable, Equatable {
    /// The key itself.
    public enum PublicKey: Sendable, Equatable {
        /// `kty` RSA.
        case rsa(RSAPublicKey)
        /// `kty` EC, `crv` P-256.
        case ec(P256PublicKey)
    }

    /// What the key is for.
    public enum Use: String, Sendable {
        /// Values are sealed to it.
        case encryption = "enc"
        /// It verifies signatures.
        case signature = "sig"
    }

    /// The key.
    public let publicKey: PublicKey
    /// `use`.
    public let use: Use
    /// `alg`.
    public let algorithm: String
    /// `kid`.
    public let keyID: String

    /// A key that values are sealed to.
    ///
    /// - Parameters:
    ///   - publicKey: the key.
    ///   - keyID: `kid`; the thumbprint where it is nil.
    public init(_ publicKey: PublicKey, keyID: String? = nil) {
        let algorithm: JWEHeader.Algorithm =
            switch publicKey {
            case .rsa: .rsaOAEP256
            case .ec: .ecdhESA256KW
            }
        self.init(publicKey, use: .encryption, algorithm: algorithm.rawValue, keyID: keyID)
    }

    /// A key for a use and an algorithm (RFC 7518 section 3.1 or 4.1), its `kid` the thumbprint where none is given.
    public init(_ publicKey: PublicKey, use: Use, algorithm: String, keyID: String? = nil) {
        self.publicKey = publicKey
        self.use = use
        self.algorithm = algorithm
        self.keyID = keyID ?? Self.thumbprint(of: publicKey)
    }

    /// The key's thumbprint: base64url of SHA-256 over its required members (RFC 7638).
    public var thumbprint: String {
        Self.thumbprint(of: publicKey)
    }

    /// The key as JSON text.
    public var json: String {
        var object = Self.members(of: publicKey)
        object.add("use", use.rawValue)
        object.add("alg", algorithm)
        object.add("kid", keyID)
        return object.text
    }

    /// The thumbprint of a key (RFC 7638).
    public static func thumbprint(of publicKey: PublicKey) -> String {
        Base64URL.encode(SHA256.hash(Array(members(of: publicKey).text.utf8)))
    }

    /// The members that say which key it is, in the order that RFC 7638 hashes them.
    static func members(of publicKey: PublicKey) -> JSONObjectText {
        switch publicKey {
        case .rsa(let key):
            JSONObjectText([
                ("e", Base64URL.encode(key.publicExponent)), ("kty", "RSA"), ("n", Base64URL.encode(key.modulus)),
            ])
        case .ec(let key):
            JSONObjectText([
                ("crv", "P-256"), ("kty", "EC"), ("x", Base64URL.encode(key.x)), ("y", Base64URL.encode(key.y)),
            ])
        }
    }
}

/// The keys that the server publishes (RFC 7517 section 5).
public struct JWKSet: Sendable, Equatable {
    /// The keys, in the order in which they are written.
    public let keys: [JWK]

    /// A set of keys.
    public init(keys: [JWK]) {
        self.keys = keys
    }

    /// The set as JSON text.
    public var json: String {
        "{\"keys\":[\(keys.map(\.json).joined(separator: ","))]}"
    }
}
