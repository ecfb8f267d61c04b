import Crypto
import Foundation
import ServerHarness
import Testing

/// Codes 202 and 207: the client's key does not follow section 2.5.
@Suite("Client keys")
struct ClientKeyTests {
    private static let rsa = DER.rsa(bits: 2048)
    private static let p256 = {
        // Only a base64 text with + or / differs from base64 for URLs.
        while true {
            let key = P256.KeyAgreement.PrivateKey().publicKey
            if key.derRepresentation.base64EncodedString().contains(where: { "+/".contains($0) }) { return key }
        }
    }()
    private static let point = Array(p256.x963Representation)

    /// Invalid base64 and DER texts for either type of key.
    private static func badTexts(_ der: [UInt8], pem: String) -> [(String, JSON)] {
        // base64url differs from base64 only in two characters.
        let urlSafe = der.withUnsafeBytes { Data($0) }.base64EncodedString()
            .replacing("+", with: "-").replacing("/", with: "_")
        let padded = DER.base64(der + (der.count.isMultiple(of: 3) ? [0] : []))
        return [
            ("not base64", "?"), ("not DER", "AAAA"), ("not a string", 5), ("an array", [.string(DER.base64(der))]),
            ("PEM", .string(pem)), ("in base64 for URLs", .string(urlSafe)),
            ("with a line break", .string(DER.base64(der).prefix(64) + "\n" + DER.base64(der).dropFirst(64))),
            ("with its padding cut off", .string(padded.trimmingCharacters(in: ["="]))),
            ("with a trailing space", .string(DER.base64(der) + " ")),
            ("with a trailing byte", .string(DER.base64(der + [0]))),
            ("cut short", .string(DER.base64(der.dropLast()))),
        ]
    }

    private static let badRSAKeys: [(String, JSON)] =
        badTexts(rsa, pem: pem(rsa)) + [
            ("1024 bits", key(DER.rsa(bits: 1024))), ("2047 bits", key(DER.rsa(bits: 2047))),
            ("4097 bits", key(DER.rsa(bits: 4097))), ("8192 bits", key(DER.rsa(bits: 8192))),
            ("exponent 3", key(DER.rsa(bits: 2048, exponent: [3]))),
            ("exponent 65535", key(DER.rsa(bits: 2048, exponent: [0xFF, 0xFF]))),
            ("exponent 65538", key(DER.rsa(bits: 2048, exponent: [1, 0, 2]))),
            ("exponent 1", key(DER.rsa(bits: 2048, exponent: [1]))),
            ("exponent 0", key(DER.rsa(bits: 2048, exponent: [0]))),
            ("even modulus", key(DER.rsa(modulus: [0x80] + [UInt8](repeating: 0, count: 255), exponent: [1, 0, 1]))),
            (
                "for PSS",
                key(DER.rsa(modulus: .init(repeating: 0xFD, count: 256), exponent: [1, 0, 1], algorithm: pss))
            ),
            ("an EC key", key(Array(p256.derRepresentation))),
        ]

    private static let badECKeys: [(String, JSON)] =
        badTexts(Array(p256.derRepresentation), pem: p256.pemRepresentation) + [
            ("P-384", key(Array(P384.KeyAgreement.PrivateKey().publicKey.derRepresentation))),
            ("P-521", key(Array(P521.KeyAgreement.PrivateKey().publicKey.derRepresentation))),
            ("secp256k1", key(DER.ec(point: point, curve: [0x2B, 0x81, 0x04, 0x00, 0x0A]))),
            (
                "X25519",
                key([0x30, 0x2A, 0x30, 5, 6, 3, 0x2B, 0x65, 0x6E, 3, 0x21, 0] + .init(repeating: 9, count: 32))
            ),
            ("infinity", key(DER.ec(point: [0]))),
            ("infinity in 65 bytes", key(DER.ec(point: [4] + .init(repeating: 0, count: 64)))),
            ("compressed", key(DER.ec(point: Array(p256.compressedRepresentation)))),
            ("hybrid", key(DER.ec(point: [6 + point[64] & 1] + point[1...]))),
            ("not on the curve", key(DER.ec(point: point.dropLast() + [point[64] ^ 1]))),
            ("coordinates above the prime", key(DER.ec(point: [4] + .init(repeating: 0xFF, count: 64)))),
            ("a private key", key(Array(P256.KeyAgreement.PrivateKey().derRepresentation))),
            ("an RSA key", key(rsa)),
        ]

    private static let pss: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 1, 10]

    private static func key(_ der: [UInt8]) -> JSON { .string(DER.base64(der)) }

    private static func pem(_ der: [UInt8]) -> String {
        "-----BEGIN PUBLIC KEY-----\n\(DER.base64(der))\n-----END PUBLIC KEY-----\n"
    }

    @Test("An invalid RSA key is answered 202", arguments: badRSAKeys)
    func badRSAKey(what: String, key: JSON) async throws {
        let service = try await Service.shared.value
        let (bank, cardholder) = (service.bank.bank, service.bank.cardholder())
        #expect(try await service.server.fetch(bank, cardholder, changing: ["rsaPublicKey": key]).code == 202)
    }

    @Test("An invalid P-256 key is answered 207", arguments: badECKeys)
    func badECKey(what: String, key: JSON) async throws {
        let service = try await Service.shared.value
        let (bank, cardholder) = (service.bank.bank, service.bank.cardholder())
        let token = bank.token(for: cardholder)
        #expect(try await service.server.fetch(bank, token: token, changing: ["ecdhPublicKey": key]).code == 207)
    }

    @Test("A P-256 key with explicit parameters is answered 207")
    func explicitParameters() async throws {
        let pem = try await TestCommand.run(
            "sh",
            [
                "-c",
                "openssl ecparam -name prime256v1 -param_enc explicit -genkey -noout "
                    + "| openssl pkey -pubout -ec_param_enc explicit",
            ]
        ).succeeded().stdout
        let base64 = pem.split(separator: "\n").filter { !$0.hasPrefix("-----") }.joined()
        #expect(base64.count > 200)
        try await badECKey(what: "explicit parameters", key: .string(base64))
    }

    @Test(
        "RSA keys of 2048 to 4096 bits with an odd exponent of at least 65537 are accepted",
        arguments: [
            (2048, [1, 0, 1]), (2049, [1, 0, 1]), (3072, [1, 0, 1]), (4096, [1, 0, 1]), (2048, [1, 0, 3]),
            (4096, [0x80, 0, 0, 0, 1]),
        ] as [(Int, [UInt8])])
    func goodRSAKey(bits: Int, exponent: [UInt8]) async throws {
        let service = try await Service.shared.value
        let (bank, cardholder) = (service.bank.bank, service.bank.cardholder())
        let key = Self.key(DER.rsa(bits: bits, exponent: exponent))
        #expect(try await service.server.fetch(bank, cardholder, changing: ["rsaPublicKey": key]).code == 0)
    }
}
