package import Cryptography
internal import StrictJSON

/// The protected header of a JWE (RFC 7516 section 4). Every parameter is known and has the right type. `enc` is
/// A256GCM.
package struct JWEHeader: Sendable, Equatable {
    /// How the content encryption key is encrypted (RFC 7518 section 4).
    package enum Algorithm: String, Sendable, CaseIterable {
        /// RSAES-OAEP with SHA-256 for the hash and MGF1.
        case rsaOAEP256 = "RSA-OAEP-256"
        /// Ephemeral-static key agreement on P-256. Its result wraps the key with AES key wrap.
        case ecdhESA256KW = "ECDH-ES+A256KW"
    }

    /// The sender's ephemeral key in the header.
    package enum EphemeralKey: Sendable, Equatable {
        /// There is no `epk`.
        case absent
        /// `epk` is not a public key on P-256.
        case invalid
        case key(P256PublicKey)
    }

    /// `alg`.
    package let algorithm: Algorithm
    /// `kid`.
    package let keyID: String?
    /// `epk`.
    package let ephemeralKey: EphemeralKey
    /// The bytes of `apu`, empty if it is absent.
    package let partyUInfo: [UInt8]
    /// The bytes of `apv`, empty if it is absent.
    package let partyVInfo: [UInt8]
    /// `cty`, `iss`, `sub`, `jti` and `keypadId`.
    package let binding: JWEBinding

    /// The only supported content encryption (RFC 7518 section 5.3).
    static let encryption = "A256GCM"

    private static let knownParameters: Set = [
        "alg", "enc", "kid", "epk", "apu", "apv", "cty", "typ", "iss", "sub", "jti", "keypadId",
    ]

    /// - Parameter ephemeralKey: that of the members.
    init(_ members: [String: JSONValue], _ ephemeralKey: EphemeralKey) throws(JOSEError) {
        guard members.keys.allSatisfy(Self.knownParameters.contains) else { throw JOSEError(.unknownHeaderParameter) }
        guard let algorithmName = try Self.text(members["alg"]), let encryption = try Self.text(members["enc"]) else {
            throw JOSEError(.malformed)
        }
        keyID = try Self.text(members["kid"])
        partyUInfo = try Self.bytes(members["apu"])
        partyVInfo = try Self.bytes(members["apv"])
        binding = JWEBinding(
            contentType: try Self.text(members["cty"]), issuer: try Self.text(members["iss"]),
            subject: try Self.text(members["sub"]), id: try Self.text(members["jti"]),
            keypadId: try Self.text(members["keypadId"]))
        _ = try Self.text(members["typ"])
        self.ephemeralKey = ephemeralKey
        guard let algorithm = Algorithm(rawValue: algorithmName) else { throw JOSEError(.unsupportedAlgorithm) }
        guard encryption == Self.encryption else { throw JOSEError(.unsupportedEncryption) }
        self.algorithm = algorithm
    }

    /// The string; nil if the parameter is absent.
    private static func text(_ value: JSONValue?) throws(JOSEError) -> String? {
        guard let value else { return nil }
        guard case .string(let text) = value else { throw JOSEError(.malformed) }
        return text
    }

    private static func bytes(_ value: JSONValue?) throws(JOSEError) -> [UInt8] {
        guard let text = try text(value) else { return [] }
        guard let bytes = Base64URL.decode(text) else { throw JOSEError(.malformed) }
        return bytes
    }
}

extension JWEHeader.EphemeralKey {
    /// Reads `epk`, a public JWK (RFC 7518 section 6.2.1). Other members are ignored, except a private key, which is
    /// refused.
    init(_ value: JSONValue?) {
        guard let value else {
            self = .absent
            return
        }
        self = Self.publicKey(value).map(Self.key) ?? .invalid
    }

    private static func publicKey(_ value: JSONValue) -> P256PublicKey? {
        guard value["kty"] == .string("EC"), value["crv"] == .string("P-256"), value["d"] == nil,
            case .string(let x) = value["x"], let x = Base64URL.decode(x),
            case .string(let y) = value["y"], let y = Base64URL.decode(y)
        else { return nil }
        return try? P256PublicKey(x: x, y: y)
    }
}
