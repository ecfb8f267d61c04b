import Crypto
import Foundation
import ServerHarness
import Testing

/// The sealed values of definition (protocol, section 2.5): every deviation is refused.
@Suite("Sealed values")
struct SealedValueTests {
    /// A deviation, and the code with which the server refuses it.
    struct Trick: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let code: Int
        let apply: @Sendable (inout Sealing) -> Void

        init(_ name: String, _ code: Int = 200, apply: @escaping @Sendable (inout Sealing) -> Void) {
            testDescription = name
            self.code = code
            self.apply = apply
        }

        /// A header member with another value; nil removes the member.
        static func header(_ name: String, _ value: JSON?, _ code: Int = 200) -> Trick {
            Trick("\(name): \(value?.text ?? "absent")", code) { $0.header[name] = .some(value) }
        }

        /// A header that is written differently.
        static func text(_ name: String, _ write: @escaping @Sendable (String) -> String) -> Trick {
            Trick(name) { $0.headerText = { write(JSON.object($0).text) } }
        }

        /// Parts that are changed after sealing.
        static func parts(
            _ name: String, _ code: Int = 200, _ spoil: @escaping @Sendable (inout CompactParts) -> Void
        ) -> Trick {
            Trick(name, code) { $0.spoil = spoil }
        }
    }

    /// Deviations in the header that apply to both algorithms.
    static let headerTricks: [Trick] =
        [
            "none", "dir", "RSA1_5", "RSA-OAEP", "RSA-OAEP-512", "A256KW", "A256GCMKW", "ECDH-ES", "ECDH-ES+A128KW",
            "PBES2-HS256+A128KW", "rsa-oaep-256", "", "HS256",
        ].map { .header("alg", .string($0)) }
        + ["A128GCM", "A192GCM", "A128CBC-HS256", "A256CBC-HS512", "a256gcm", "none", ""].map {
            .header("enc", .string($0))
        }
        + [
            .header("alg", nil), .header("alg", 7), .header("alg", ["RSA-OAEP-256"]), .header("enc", nil),
            .header("enc", .null), .header("kid", nil), .header("kid", "unknown"), .header("kid", 7),
            .header("kid", .null), .header("kid", ""), .header("crit", []), .header("crit", ["exp"]),
            .header("crit", ["alg"]), .header("zip", "DEF"), .header("zip", ""),
            .header("jku", "https://127.0.0.1/keys"),
            .header("jwk", ["kty": "oct", "k": ""]), .header("x5c", []), .header("x5u", "https://127.0.0.1/"),
            .header("b64", false), .header("iv", "AAAAAAAAAAAAAAAA"), .header("p2c", 1), .header("unknown", 1),
            .header("apu", 1), .header("apu", "not base64url!"), .header("apv", ["a"]), .header("typ", 1),
            .header("cty", false), .header("typ", .string(String(repeating: "t", count: 4096))),
            .text("a duplicate alg") { $0.replacing("{", with: "{\"alg\":\"dir\",", maxReplacements: 1) },
            .text("a duplicate enc, the same") { $0.replacing("{", with: "{\"enc\":\"A256GCM\",", maxReplacements: 1) },
            .text("a duplicate kid, escaped") { $0.replacing("{", with: "{\"k\\u0069d\":\"a\",", maxReplacements: 1) },
            .text("an array") { "[\($0)]" }, .text("two objects") { $0 + $0 }, .text("nothing") { _ in "" },
            .text("not an object") { _ in "\"header\"" }, .text("cut short") { String($0.dropLast()) },
        ]

    static let partTricks: [Trick] = [
        .parts("a wrong bit in the tag") { $0.tag[15] ^= 0x80 }, .parts("a short tag") { $0.tag.removeLast() },
        .parts("no tag") { $0.tag = [] }, .parts("a long tag") { $0.tag.append(0) },
        .parts("a wrong bit in the nonce") { $0.nonce[0] ^= 1 }, .parts("a long nonce") { $0.nonce += [0, 0, 0, 0] },
        .parts("no nonce") { $0.nonce = [] }, .parts("a wrong bit in the content") { $0.ciphertext[0] ^= 1 },
        .parts("a short content") { $0.ciphertext.removeLast() }, .parts("no content") { $0.ciphertext = [] },
        .parts("a wrong bit in the key") { $0.encryptedKey[0] ^= 1 },
        .parts("a short key") { $0.encryptedKey.removeLast() }, .parts("a long key") { $0.encryptedKey.append(0) },
        .parts("a key of one byte") { $0.encryptedKey = [0] },
        .parts("the key of zeros") { $0.encryptedKey = [UInt8](repeating: 0, count: $0.encryptedKey.count) },
        .parts("a huge key") { $0.encryptedKey = [UInt8](repeating: 1, count: 4096) },
        .parts("an empty key", 201) { $0.encryptedKey = [] },
        .parts("a header with padding") { $0.header += "=" },
        .parts("a header with a space") { $0.header += " " },
        .parts("a header of the other alphabet") { $0.header += "+/" },
        .parts("a header too many") { $0.header = $0.header + "." + $0.header },
        Trick("a content key of 128 bits") { $0.contentKey = SymmetricKey(size: .bits128) },
    ]

    @Test(
        "A deviation in the header or in a part is refused",
        arguments: DefinitionCall.definitions, headerTricks + partTricks)
    func refused(call: DefinitionCall, trick: Trick) async throws {
        try await expect(trick, in: call)
    }

    @Test(
        "A deviation in RSA-OAEP is refused",
        arguments: [
            .header("alg", "ECDH-ES+A256KW"), Trick("OAEP with SHA-1") { $0.isOAEPWithSHA1 = true },
            Trick("OAEP with SHA-1, and called so") {
                $0.isOAEPWithSHA1 = true
                $0.header["alg"] = "RSA-OAEP"
            },
        ])
    func refusedRSA(trick: Trick) async throws {
        try await expect(trick, in: .hmac)
    }

    @Test("An invalid ephemeral key is refused", arguments: DefinitionCall.byToken, ephemeralKeyTricks)
    func refusedEphemeralKey(call: DefinitionCall, trick: Trick) async throws {
        try await expect(trick, in: call)
    }

    private static let ephemeralKeyTricks: [Trick] = {
        let raw = Array(P256.KeyAgreement.PrivateKey().publicKey.rawRepresentation)
        let (x, y) = (Base64URL.encode(Array(raw.prefix(32))), Base64URL.encode(Array(raw.suffix(32))))
        @Sendable func point(_ changes: [String: JSON?]) -> JSON {
            var members: [String: JSON] = ["kty": "EC", "crv": "P-256", "x": .string(x), "y": .string(y)]
            members.change(changes)
            return .object(members)
        }
        let zero = Base64URL.encode([UInt8](repeating: 0, count: 32))
        // x equal to the field's prime, which is out of range; and a y that is not on the curve.
        let prime = "_____wAAAAEAAAAAAAAAAAAAAAD_______________8"
        let beside = Base64URL.encode(raw.suffix(32).dropLast() + [raw[63] ^ 1])
        let otherCurve = Array(P384.KeyAgreement.PrivateKey().publicKey.rawRepresentation)
        let keys: [JSON] = [
            point(["y": .string(beside)]), point(["x": .string(y), "y": .string(x)]),
            point(["x": .string(zero), "y": .string(zero)]), point(["x": "", "y": ""]), point(["x": "AA", "y": "AA"]),
            point(["x": .string(prime)]), point(["y": .string(zero)]), point(["x": nil]), point(["y": nil]),
            point(["y": .null]), point(["x": 7]), point(["crv": nil]), point(["crv": "P-384"]),
            point(["crv": "secp256k1"]),
            point(["crv": "X25519"]), point(["kty": nil]), point(["kty": "OKP"]), point(["kty": "RSA"]),
            point(["x": .string(Base64URL.encode([0] + raw.prefix(32)))]), point(["x": .string(String(x.dropLast(2)))]),
            point(["x": .string(x + "=")]), .publicKey(otherCurve, curve: "P-384"),
            .publicKey(otherCurve, curve: "P-256"),
            [:], "epk", 7, [.string(x)],
        ]
        return [.header("epk", nil, 107), .header("alg", "RSA-OAEP-256")] + keys.map { .header("epk", $0, 207) }
            + [Trick("another ephemeral key") { $0.header["epk"] = point([:]) }]
    }()

    @Test("A kid of a key of the other type is refused", arguments: DefinitionCall.definitions)
    func otherKind(call: DefinitionCall) async throws {
        let keys = try await Service.shared.value.keys
        let other = try keys.first(call == .hmac ? .ec : .rsa)
        try await expect(.header("kid", .string(other.id)), in: call)
    }

    @Test(
        "A value sealed with the other operation's algorithm is refused", arguments: DefinitionCall.definitions)
    func otherAlgorithm(call: DefinitionCall) async throws {
        let service = try await Service.shared.value
        var attempt = try service.attempt(call, TestCardholder())
        attempt.sealing = try Sealing(call == .hmac ? .ec : .rsa, to: service.keys)
        // If an epk is required, its absence is checked first.
        #expect(try await service.code(attempt) == (call == .hmac ? 200 : 107))
    }

    @Test("A value that is not a compact JWE is answered 200", arguments: DefinitionCall.definitions)
    func notCompact(call: DefinitionCall) async throws {
        let service = try await Service.shared.value
        let attempt = try service.attempt(call, TestCardholder())
        let sealed = try attempt.sealing.seal(attempt.plaintext)
        let parts = sealed.split(separator: ".", omittingEmptySubsequences: false).map(JSON.init)
        let flattened: JSON = [
            "protected": parts[0], "encrypted_key": parts[1], "iv": parts[2], "ciphertext": parts[3], "tag": parts[4],
        ]
        let texts: [JSON] = [
            "8305", "....", ".", " ", .string(sealed + "."), .string("." + sealed), .string(" " + sealed),
            .string(sealed + "\n"), .string(sealed.replacing(".", with: " ")), .string(String(sealed.dropLast(30))),
            .string(String(repeating: "A", count: 60_000)), .string(flattened.text), flattened, 8305, true, [],
        ]
        for text in texts {
            var attempt = attempt
            attempt.members[call.choice] = text
            #expect(try await service.code(attempt) == 200, "\(text.text.prefix(80))")
        }
    }

    @Test("apu and apv are used in the key agreement; typ is ignored", arguments: DefinitionCall.byToken)
    func known(call: DefinitionCall) async throws {
        let service = try await Service.shared.value
        let headers: [[String: JSON?]] = [
            ["apu": "QWxpY2U", "apv": "Qm9i"], ["apu": "QWxpY2U"], ["apv": "AP8"], ["apu": "", "apv": ""],
            ["typ": "JOSE"],
        ]
        for header in headers {
            var attempt = try await service.defining("8305", call, service.holder())
            attempt.sealing.header = header
            #expect(try await service.code(attempt) == 0, "\(header)")
        }
    }

    private func expect(_ trick: Trick, in call: DefinitionCall) async throws {
        let service = try await Service.shared.value
        var attempt = try service.attempt(call, TestCardholder())
        trick.apply(&attempt.sealing)
        #expect(try await service.code(attempt) == trick.code)
    }
}

extension JSON {
    fileprivate init(_ text: Substring) {
        self = .string(String(text))
    }
}
