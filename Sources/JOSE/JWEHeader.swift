public import Cryptography
internal import StrictJSON

/// The protected header of a JWE (RFC 7516 section 4), every parameter known and of the right type. `enc` is A256GCM.
public struct JWEHeader: Sendable, Equatable {
    /// How the content encryption key is sealed (RFC 7518 section 4).
    public enum Algorithm: String, Sendable, CaseIterable {
        /// RSAES-OAEP with SHA-256 for the hash and MGF1.
        case rsaOAEP256 = "RSA-OAEP-256"
        /// Ephemeral-static key agreement on P-256, its result wrapping the key with AES key wrap.
        case ecdhESA256KW = "ECDH-ES+A256KW"
    }

    /// What the header says of the sender's ephemeral key.
    public enum EphemeralKey: Sendable, Equatable {
        /// There is no `epk`.
        case absent
        /// There is one, but it is not a public key on P-256.
        case invalid
        /// The public key.
        case key(P256PublicKey)
    }

    /// `alg`.
    public let algorithm: Algorithm
    /// `kid`.
    public let keyID: String?
    /// `epk`.
    public let ephemeralKey: EphemeralKey
    /// The bytes of `apu`, empty where it is absent.
    public let partyUInfo: [UInt8]
    /// The bytes of `apv`, empty where it is absent.
    public let partyVInfo: [UInt8]

    /// The one content encryption (RFC 7518 section 5.3).
    static let encryption = "A256GCM"

    private static let knownParameters: Set = ["alg", "enc", "kid", "epk", "apu", "apv", "cty", "typ"]

    init(_ members: [String: JSONValue]) throws(JOSEError) {
        guard members.keys.allSatisfy(Self.knownParameters.contains) else { throw JOSEError(.unknownHeaderParameter) }
        guard let algorithmName = try Self.text(members["alg"]), let encryption = try Self.text(members["enc"]) else {
            throw JOSEError(.malformed)
        }
        keyID = try Self.text(members["kid"])
        partyUInfo = try Self.bytes(members["apu"])
        partyVInfo = try Self.bytes(members["apv"])
        _ = try Self.text(members["cty"])
        _ = try Self.text(members["typ"])
        ephemeralKey = EphemeralKey(members["epk"])
        guard let algorithm = Algorithm(rawValue: algorithmName) else { throw JOSEError(.unsupportedAlgorithm) }
        guard encryption == Self.encryption else { throw JOSEError(.unsupportedEncryption) }
        self.algorithm = algorithm
    }

    /// A string where there is a value at all.
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
    /// Reads `epk`: a public JWK (RFC 7518 section 6.2.1). Members that say nothing of the point may be there, a
    /// private key may not.
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
