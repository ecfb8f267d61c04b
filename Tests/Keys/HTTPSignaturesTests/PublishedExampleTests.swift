import Cryptography
import Foundation
import HTTPSignatures
import SecureMemory
import Testing

/// The worked example of a signed call in openapi.yaml.
@Suite("The example in openapi.yaml")
struct PublishedExampleTests {
    private static let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "openapi.yaml")

    /// DER of a private key (RFC 8410 section 7), before its seed.
    private static let keyPrefix: [UInt8] = [
        0x30, 0x2E, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20,
    ]

    @Test("The signature is valid for the server that it names, and its base is the one that is shown")
    func example() throws {
        let lines = try String(contentsOf: Self.file, encoding: .utf8).split(separator: "\n")
            .map { $0.trimmingCharacters(in: .whitespaces) }
        let fields = try ["Content-Digest", "Signature-Input", "Signature"].map { name in
            (name, try #require(lines.first { $0.hasPrefix("\(name): ") }).replacing("\(name): ", with: ""))
        }
        let call = SignedMessage(
            method: "PATCH", scheme: "https", authority: "pin.example.com",
            target: "/v1/banks/DEMOBANK/cardholders/ch-000042", fields: fields)
        let signature = try SignatureFields(call).only(ofKeys: ["demobank-2026"])
        let base = try SignatureBase.text(of: call, parameters: signature.parameters)
        #expect(base.split(separator: "\n").allSatisfy { lines.contains(String($0)) })
        let key = try Ed25519PrivateKey(pkcs8: SecretBytes(copying: Self.keyPrefix + Array(0..<32))).publicKey
        let names = try ["pin.example.com"].map { try #require(Authority($0)) }
        let verified = try SignaturePolicy(authority: .oneOf(names)).verify(
            signature, of: call, hasBody: true, with: .ed25519(key), now: 1_767_225_600)
        try verified.contentDigest?.verify(Array(#"{"status":"SUSPENDED"}"#.utf8))
        // The headers' descriptions have the same example.
        for (_, value) in fields {
            #expect(lines.contains { $0.hasPrefix("example:") && $0.contains(value) })
        }
    }
}
