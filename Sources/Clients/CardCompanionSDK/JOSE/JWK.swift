internal import CardCompanionAPI
internal import Crypto
internal import CryptoExtras
internal import Foundation

/// A public key as a JSON Web Key (RFC 7517; RFC 7518 section 6), RSA or EC.
struct JWK: Codable {
    var kty: String
    var use: String?
    var alg: String?
    var kid: String?
    var crv: String?
    var x: String?
    var y: String?
    var n: String?
    var e: String?

    /// The P-256 public key.
    ///
    /// - Throws: 90014 if this is not a P-256 key, 90009 if the point is not on the curve.
    func p256PublicKey() throws(SDKError) -> P256.KeyAgreement.PublicKey {
        guard kty == "EC", crv == "P-256", let x = Self.coordinate(x), let y = Self.coordinate(y) else {
            throw SDKError(.unreadableECKey, "the JWK is not a P-256 key")
        }
        guard let key = try? P256.KeyAgreement.PublicKey(rawRepresentation: x + y) else {
            throw SDKError(.untrustedServerKey, "the point is not on P-256")
        }
        return key
    }

    /// The RSA public key.
    ///
    /// - Throws: 90003 if this is not an RSA key of at least 2048 bits.
    func rsaPublicKey() throws(SDKError) -> _RSA.Encryption.PublicKey {
        guard kty == "RSA", let n = n.flatMap(Base64URL.decode), let e = e.flatMap(Base64URL.decode),
            let key = try? _RSA.Encryption.PublicKey(n: n, e: e), key.keySizeInBits >= 2048
        else {
            throw SDKError(.badAnswerFormat, "the server's RSA key is invalid or has less than 2048 bits")
        }
        return key
    }

    /// The key's SHA-256 thumbprint in base64url (RFC 7638). Nil if a required member is missing.
    var thumbprint: String? {
        let members: [(name: String, value: String?)] =
            kty == "EC"
            ? [("crv", crv), ("kty", kty), ("x", x), ("y", y)]
            : [("e", e), ("kty", kty), ("n", n)]
        var written: [String] = []
        for member in members {
            guard let value = member.value else { return nil }
            written.append("\"\(member.name)\":\"\(value)\"")
        }
        return Base64URL.encode(SHA256.hash(data: Data("{\(written.joined(separator: ","))}".utf8)))
    }

    private static func coordinate(_ text: String?) -> Data? {
        guard let bytes = text.flatMap(Base64URL.decode), bytes.count == 32 else { return nil }
        return bytes
    }
}

extension JWK {
    /// The JWK of a P-256 public key.
    init(_ key: P256.KeyAgreement.PublicKey) {
        let point = key.rawRepresentation
        self.init(
            kty: "EC", crv: "P-256", x: Base64URL.encode(point.prefix(32)), y: Base64URL.encode(point.suffix(32)))
    }
}

/// A JWK set (RFC 7517 section 5).
struct JWKSet: Decodable {
    let keys: [JWK]
}
