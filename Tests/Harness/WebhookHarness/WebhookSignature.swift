internal import Crypto
internal import Foundation
internal import NIOHTTP1
package import ServerHarness
internal import Testing

/// The signature of a webhook (RFC 9421), verified with swift-crypto. Uses no code of the server.
package struct WebhookSignature {
    private let webhook: ReceivedWebhook
    private let input: String
    private let signature: [UInt8]

    package init(_ webhook: ReceivedWebhook) throws {
        self.webhook = webhook
        input = try Self.value(of: "Signature-Input", webhook)
        let text = try Self.value(of: "Signature", webhook)
        try #require(text.hasPrefix(":") && text.hasSuffix(":"))
        signature = Array(try #require(Data(base64Encoded: String(text.dropFirst().dropLast()))))
    }

    package func verify(against server: TestServer) async throws {
        let parameters = try #require(input.wholeMatch(of: /\(([^)]*)\);(.*)/))
        let components = parameters.1.split(separator: " ").map { String($0.filter { $0 != "\"" }) }
        let hasQuery = webhook.head.uri.contains("?")
        #expect(
            Set(components) == Set(["@method", "@authority", "@path", "content-digest"] + (hasQuery ? ["@query"] : [])))
        let created = try #require(input.firstMatch(of: /;created=(\d+)/).flatMap { Int($0.1) })
        #expect(abs(created - TestBank.timestamp()) < 300)
        #expect(try #require(input.firstMatch(of: /;nonce="([^"]+)"/)).1.count >= 16)

        var lines = try components.map { "\"\($0)\": \(try value($0))" }
        lines.append("\"@signature-params\": \(input)")
        let keyId = try #require(input.firstMatch(of: /;keyid="([^"]+)"/)).1
        let key = try await publicKey(String(keyId), server)
        let ecdsa = try P256.Signing.ECDSASignature(rawRepresentation: signature)
        #expect(key.isValidSignature(ecdsa, for: Data(lines.joined(separator: "\n").utf8)))
    }

    private func publicKey(_ keyId: String, _ server: TestServer) async throws -> P256.Signing.PublicKey {
        let keys = try await server.request("GET", "/.well-known/jwks.json").members["keys"]?.array ?? []
        let key = try #require(keys.compactMap(\.object).first { $0["kid"] == .string(keyId) })
        #expect(key["use"] == "sig" && key["alg"] == "ES256")
        let point = ["x", "y"].flatMap { key[$0]?.string.flatMap(Base64URL.decode) ?? [] }
        return try P256.Signing.PublicKey(rawRepresentation: point)
    }

    private func value(_ component: String) throws -> String {
        let parts = webhook.head.uri.split(separator: "?", maxSplits: 1)
        switch component {
        case "@method": return webhook.head.method.rawValue
        case "@authority": return try #require(webhook.head.headers["Host"].first)
        case "@path": return String(parts[0])
        case "@query": return "?\(parts[1])"
        default: return try #require(webhook.head.headers[component].first)
        }
    }

    /// The value of a structured dictionary field with one member.
    private static func value(of field: String, _ webhook: ReceivedWebhook) throws -> String {
        let text = try #require(webhook.head.headers[field].first)
        return String(try #require(text.wholeMatch(of: /[a-z][a-z0-9]*=(.+)/)).1)
    }
}
