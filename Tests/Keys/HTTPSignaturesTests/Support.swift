import Cryptography
import HTTPSignatures
import HTTPTypes
import SecureMemory
import Testing

extension String {
    var bytes: [UInt8] { Array(utf8) }
}

extension SecretBytes {
    /// The content. In a test it is not secret.
    var revealed: [UInt8] { withBytes { [UInt8]($0) } }
}

/// One key for each algorithm.
enum TestKeys {
    static let all: [SigningKey] = [
        .ecdsaP256SHA256(make(P256PrivateKey.generate)), .ed25519(make(Ed25519PrivateKey.generate)),
        .rsaPSSSHA512(rsa), .rsaPKCS1SHA256(rsa), .hmacSHA256(make { try HMACKey(SecretBytes(copying: sharedSecret)) }),
    ]
    /// The secret of the key for hmac-sha256.
    static let sharedSecret = SecureRandom.bytes(count: 32)
    static let ed25519 = SigningKey.ed25519(make(Ed25519PrivateKey.generate))

    static func hmacKey() throws -> HMACKey {
        try HMACKey(SecureRandom.secret(count: 32))
    }

    private static let rsa = make { try RSAPrivateKey.generate(bits: 2048) }

    private static func make<Key>(_ body: () throws -> Key) -> Key {
        guard let key = try? body() else { preconditionFailure("no key was made") }
        return key
    }
}

/// A signed request of a bank's back-end, as the issuer's operations require it.
struct Exchange {
    static let now: Int64 = 1_800_000_000

    var key = TestKeys.ed25519
    var method = "PUT"
    var scheme = "https"
    var authority = "api.example.com"
    var target = "/v1/banks/b1/cardholders/c1?dry=yes"
    var body = #"{"status":"ACTIVE"}"#
    var digest: String?
    var lines: [(String, String)] = [("Date", "Fri, 15 Jan 2027 08:00:00 GMT"), ("X-List", "one"), ("X-List", "two")]

    var components: [Component] = [.method, .authority, .path, .query, .field(.contentDigest)]
    var created: Int64? = now
    var expires: Int64?
    var nonce: String? = "a nonce used once"
    var keyID: String? = "k1"
    var algorithm: SignatureAlgorithm?

    var fields: [(String, String)] {
        [("Content-Digest", digest ?? ContentDigest.fieldValue(for: body.bytes))] + lines
    }

    func message(_ signatureFields: [(String, String)] = []) -> SignedMessage {
        SignedMessage(
            method: method, scheme: scheme, authority: authority, target: target, fields: fields + signatureFields)
    }

    func signatureFields(label: String = "sig1") throws -> [(String, String)] {
        let parameters = try SignatureParameters(
            components: components, created: created, expires: expires, nonce: nonce, keyID: keyID,
            algorithm: algorithm)
        let (input, signature) = try key.sign(message(), parameters: parameters, label: label)
        return [("Signature-Input", input), ("Signature", signature)]
    }

    /// Signs the request, lets `received` change it, and verifies the result.
    @discardableResult
    func verify(
        policy: SignaturePolicy = SignaturePolicy(authority: .asSent), with key: VerificationKey? = nil,
        hasBody: Bool = true,
        now: Int64 = now, received change: (inout Exchange) -> Void = { _ in }
    ) throws -> VerifiedSignature {
        var received = self
        change(&received)
        let message = received.message(try signatureFields())
        let signature = try SignatureFields(message).only(ofKeys: ["k1"])
        return try policy.verify(
            signature, of: message, hasBody: hasBody, with: key ?? self.key.verificationKey, now: now)
    }
}

/// The error that `body` throws; nil if it does not throw.
func refusal(_ body: () throws -> Void) -> SignatureError? {
    do {
        try body()
        return nil
    } catch {
        return error as? SignatureError
    }
}
