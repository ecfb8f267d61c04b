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

    /// The P-256 key that this describes (90014 where it describes none, 90009 where the point is not on the curve).
    func p256PublicKey() throws(SDKError) -> P256.KeyAgreement.PublicKey {
        guard kty == "EC", crv == "P-256", let x = Self.coordinate(x), let y = Self.coordinate(y) else {
            throw SDKError(.unreadableECKey, "not a P-256 key in JWK form")
        }
        guard let key = try? P256.KeyAgreement.PublicKey(rawRepresentation: x + y) else {
            throw SDKError(.untrustedServerKey, "the point is not on P-256")
        }
        return key
    }

    /// The RSA key that this describes, of 2048 bits or more (90003).
    func rsaPublicKey() throws(SDKError) -> _RSA.Encryption.PublicKey {
        guard kty == "RSA", let n = n.flatMap(Base64URL.decode), let e = e.flatMap(Base64URL.decode),
            let key = try? _RSA.Encryption.PublicKey(n: n, e: e), key.keySizeInBits >= 2048
        else {
            throw SDKError(.badAnswerFormat, "the server's RSA key cannot be used")
        }
        return key
    }

    /// The key's SHA-256 thumbprint in base64url (RFC 7638); nil where the key lacks a member.
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
    /// A P-256 key in JWK form.
    init(_ key: P256.KeyAgreement.PublicKey) {
        let point = key.rawRepresentation
        self.init(
            kty: "EC", crv: "P-256", x: Base64URL.encode(point.prefix(32)), y: Base64URL.encode(point.suffix(32)))
    }
}

/// A JWK set (RFC 7517 section 5), as the server publishes it.
struct JWKSet: Decodable {
    let keys: [JWK]
}
