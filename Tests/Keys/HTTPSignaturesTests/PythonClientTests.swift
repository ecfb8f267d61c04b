import Cryptography
import Foundation
import HTTPSignatures
import HTTPTypes
import PythonOracle
import SecureMemory
import Testing

/// Both directions against another implementation: Python's http-message-signatures.
@Suite(
    "With Python's http-message-signatures",
    .enabled(if: PythonOracle.isAvailable, Comment(rawValue: PythonOracle.absence)))
struct PythonClientTests {
    private static let created: Int64 = 1_700_000_000

    private let oracle = PythonOracle(script: "Oracles/http_signatures_oracle.py")
    private let exchange = Exchange(created: created)

    @Test("We verify what Python signed", arguments: TestKeys.all)
    func verifies(key: SigningKey) async throws {
        var asked = try arguments(key)
        asked["components"] = try json(exchange.components.map(\.description))
        let theirs = try await oracle.ask("sign", asked)
        var received = exchange
        received.digest = theirs["Content-Digest"]
        let message = received.message([
            ("Signature-Input", try #require(theirs["Signature-Input"])),
            ("Signature", try #require(theirs["Signature"])),
        ])
        let signature = try SignatureFields(message).only(ofKeys: ["k1"])
        #expect(signature.parameters.algorithm == key.verificationKey.algorithm)
        let verified = try SignaturePolicy(authority: .asSent).verify(
            signature, of: message, hasBody: true, with: key.verificationKey, now: Self.created)
        #expect(verified.label == "theirs")
        #expect(verified.nonce == exchange.nonce)
        try verified.contentDigest?.verify(exchange.body.bytes)
        #expect(verified.contentDigest != nil)
    }

    @Test("Python verifies what we signed, and refuses altered messages", arguments: TestKeys.all)
    func isVerified(key: SigningKey) async throws {
        var signed = exchange
        signed.key = key
        signed.algorithm = key.verificationKey.algorithm
        let fields = signed.fields + (try signed.signatureFields())
        var asked = try arguments(key)
        asked["fields"] = try json(fields.map { [$0.0, $0.1] })
        let answer = try await oracle.ask("verify", asked)
        #expect(answer["nonce"] == exchange.nonce)
        #expect(answer["body"] == Hex.encode(exchange.body.bytes))
        #expect(
            answer["components"] == #""@method" "@authority" "@path" "@query" "content-digest" "@signature-params""#)
        asked["method"] = "PATCH"
        #expect(try await oracle.ask("verify", asked).isEmpty)
    }

    @Test("Both compute the same signature base, for all components and for fields with several lines")
    func base() async throws {
        let lines = [
            ("X-List", "one"), ("Date", "  today\t"), ("X-LIST", "two,  three "), ("X-Fold", "a\r\n   b"),
            ("X-Empty", ""),
        ]
        let target = "/a%2Fb/%7E?param=Value&caf%C3%A9=a+b%20c&x=%26"
        let components: [Component] = [
            .queryParameter("caf%C3%A9"), .method, .targetURI, .authority, .scheme, .requestTarget, .path, .query,
            .queryParameter("x"), .field(.date), .field(try #require(.init("x-list"))),
            .field(try #require(.init("x-fold"))), .field(try #require(.init("x-empty"))),
        ]
        for (scheme, authority) in [
            ("https", "API.example.com"), ("https", "api.example.com:443"), ("http", "api.example.com:8080"),
        ] {
            var asked = try arguments(TestKeys.ed25519)
            asked["url"] = "\(scheme)://\(authority)\(target)"
            asked["fields"] = try json(lines.map { [$0.0, $0.1] })
            asked["components"] = try json(components.map(\.description))
            let theirs = try await oracle.ask("base", asked)
            let message = SignedMessage(
                method: "PUT", scheme: scheme, authority: authority, target: target,
                fields: lines + [
                    ("Signature-Input", "s=\(try #require(theirs["parameters"]))"), ("Signature", "s=:AAAA:"),
                ])
            let parameters = try SignatureFields(message).only(ofKeys: ["k1"]).parameters
            #expect(try SignatureBase.text(of: message, parameters: parameters) == theirs["base"])
        }
    }

    private func arguments(_ key: SigningKey) throws -> [String: String] {
        let (privateKey, publicKey) = try Self.texts(of: key)
        return [
            "algorithm": key.verificationKey.algorithm.rawValue, "privateKey": privateKey, "publicKey": publicKey,
            "method": exchange.method, "url": "\(exchange.scheme)://\(exchange.authority)\(exchange.target)",
            "fields": try json(exchange.lines.map { [$0.0, $0.1] }), "body": Hex.encode(exchange.body.bytes),
            "keyid": "k1", "created": String(Self.created), "nonce": try #require(exchange.nonce),
        ]
    }

    private static func texts(of key: SigningKey) throws -> (privateKey: String, publicKey: String) {
        switch key {
        case .ecdsaP256SHA256(let key): (text(try key.pem()), key.publicKey.pem())
        case .ed25519(let key): (text(try key.pem()), key.publicKey.pem())
        case .rsaPSSSHA512(let key), .rsaPKCS1SHA256(let key): (text(try key.pem()), key.publicKey.pem())
        case .hmacSHA256: (Hex.encode(TestKeys.sharedSecret), Hex.encode(TestKeys.sharedSecret))
        }
    }

    private static func text(_ secret: borrowing SecretBytes) -> String {
        String(decoding: secret.revealed, as: UTF8.self)
    }

    private func json(_ value: some Encodable) throws -> String {
        String(decoding: try JSONEncoder().encode(value), as: UTF8.self)
    }
}
