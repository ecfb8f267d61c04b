package import Cryptography
internal import StrictJSON

/// A public key in the server's key set: a JSON Web Key (RFC 7517).
package struct JWK: Sendable, Equatable {
    package enum PublicKey: Sendable, Equatable {
        /// `kty` RSA.
        case rsa(RSAPublicKey)
        /// `kty` EC, `crv` P-256.
        case ec(P256PublicKey)
    }

    /// The purpose of the key.
    package enum Use: String, Sendable {
        /// It encrypts values for its holder.
        case encryption = "enc"
        /// It verifies signatures.
        case signature = "sig"
    }

    package let publicKey: PublicKey
    package let use: Use
    /// `alg`.
    package let algorithm: String
    /// `kid`.
    package let keyID: String

    /// An encryption key.
    ///
    /// - Parameters:
    ///   - publicKey: the key.
    ///   - keyID: `kid`; nil for the thumbprint.
    package init(_ publicKey: PublicKey, keyID: String? = nil) {
        let algorithm: JWEHeader.Algorithm =
            switch publicKey {
            case .rsa: .rsaOAEP256
            case .ec: .ecdhESA256KW
            }
        self.init(publicKey, use: .encryption, algorithm: algorithm.rawValue, keyID: keyID)
    }

    /// A key for a purpose and an algorithm (RFC 7518 section 3.1 or 4.1). If `keyID` is nil, `kid` is the thumbprint.
    package init(_ publicKey: PublicKey, use: Use, algorithm: String, keyID: String? = nil) {
        self.publicKey = publicKey
        self.use = use
        self.algorithm = algorithm
        self.keyID = keyID ?? Self.thumbprint(of: publicKey)
    }

    /// The thumbprint of the key: SHA-256 of its required members, in base64url (RFC 7638).
    package var thumbprint: String {
        Self.thumbprint(of: publicKey)
    }

    /// The key as JSON text.
    package var json: String {
        String(
            json: JSONWriter.object { key in
                Self.write(publicKey, to: &key)
                key.add("use", use.rawValue)
                key.add("alg", algorithm)
                key.add("kid", keyID)
            })
    }

    /// The thumbprint of a key (RFC 7638).
    package static func thumbprint(of publicKey: PublicKey) -> String {
        Base64URL.encode(SHA256.hash(JSONWriter.object { write(publicKey, to: &$0) }))
    }

    /// Writes the members that identify a key, in the order of RFC 7638.
    static func write(_ publicKey: PublicKey, to json: inout JSONWriter) {
        switch publicKey {
        case .rsa(let key):
            json.add("e", base64URL: key.publicExponent)
            json.add("kty", "RSA")
            json.add("n", base64URL: key.modulus)
        case .ec(let key):
            json.add("crv", "P-256")
            json.add("kty", "EC")
            json.add("x", base64URL: key.x)
            json.add("y", base64URL: key.y)
        }
    }
}

/// The server's key set (RFC 7517 section 5).
package struct JWKSet: Sendable, Equatable {
    /// The keys in the order of the JSON text.
    package let keys: [JWK]

    package init(keys: [JWK]) {
        self.keys = keys
    }

    /// The set as JSON text.
    package var json: String {
        String(
            json: JSONWriter.object { set in
                set.add("keys", array: { array in for key in keys { array.add(json: Array(key.json.utf8)) } })
            })
    }
}
