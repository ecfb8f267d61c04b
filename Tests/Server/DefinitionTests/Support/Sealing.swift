import Crypto
import CryptoExtras
import Foundation
import ServerHarness

/// The two algorithms that seal a value to the server.
enum SealingKind: Sendable, CaseIterable {
    case rsa, ec

    var keyType: String { self == .rsa ? "RSA" : "EC" }
    var algorithm: String { self == .rsa ? "RSA-OAEP-256" : "ECDH-ES+A256KW" }
}

/// The parts of a compact JWE, so that a test can corrupt them.
struct CompactParts: Sendable {
    var header: String
    var encryptedKey: [UInt8]
    var nonce: [UInt8]
    var ciphertext: [UInt8]
    var tag: [UInt8]

    var text: String {
        ([header] + [encryptedKey, nonce, ciphertext, tag].map(Base64URL.encode)).joined(separator: ".")
    }
}

/// Seals a value to the server with swift-crypto; uses no code of the server. Unchanged, it follows the protocol; a test
/// changes the parts that must be refused.
struct Sealing: Sendable {
    let kind: SealingKind
    var key: ServerKeySet.Key
    /// What the header says of the value; nil leaves it out.
    var binding: SealedBinding?
    /// Members that replace the header's own; nil removes a member.
    var header: [String: JSON?] = [:]
    /// Writes the header. The written text is what is authenticated.
    var headerText: @Sendable (_ members: [String: JSON]) -> String = { JSON.object($0).text }
    var contentKey = SymmetricKey(size: .bits256)
    /// Whether OAEP uses SHA-1 instead of SHA-256.
    var isOAEPWithSHA1 = false
    /// Changes the parts after sealing.
    var spoil: @Sendable (inout CompactParts) -> Void = { _ in }

    init(_ kind: SealingKind, to keys: ServerKeySet) throws {
        self.kind = kind
        key = try keys.first(kind)
    }

    func seal(_ plaintext: [UInt8]) throws -> String {
        let ephemeral = P256.KeyAgreement.PrivateKey()
        var members: [String: JSON] = [
            "alg": .string(kind.algorithm), "enc": "A256GCM", "kid": .string(key.id),
        ]
        if kind == .ec { members["epk"] = .publicKey(ephemeral.publicKey.rawRepresentation, curve: "P-256") }
        members.merge(binding?.members ?? [:]) { $1 }
        members.change(header)
        let encryptedKey = try kind == .rsa ? encryptedContentKey() : wrappedContentKey(ephemeral, members)
        let header = Base64URL.encode(Array(headerText(members).utf8))
        let box = try AES.GCM.seal(plaintext, using: contentKey, authenticating: Array(header.utf8))
        var parts = CompactParts(
            header: header, encryptedKey: encryptedKey, nonce: Array(box.nonce), ciphertext: Array(box.ciphertext),
            tag: Array(box.tag))
        spoil(&parts)
        return parts.text
    }

    private func encryptedContentKey() throws -> [UInt8] {
        let key = try _RSA.Encryption.PublicKey(n: key.bytes("n"), e: key.bytes("e"))
        let bytes = contentKey.withUnsafeBytes { Data($0) }
        return Array(try key.encrypt(bytes, padding: isOAEPWithSHA1 ? .PKCS1_OAEP : .PKCS1_OAEP_SHA256))
    }

    private func wrappedContentKey(
        _ ephemeral: P256.KeyAgreement.PrivateKey, _ header: [String: JSON]
    ) throws -> [UInt8] {
        let key = try P256.KeyAgreement.PublicKey(rawRepresentation: key.bytes("x") + key.bytes("y"))
        let secret = try ephemeral.sharedSecretFromKeyAgreement(with: key)
        // The Concat KDF for one block of SHA-256 (RFC 7518 section 4.6.2).
        var message: [UInt8] = [0, 0, 0, 1] + secret.withUnsafeBytes { Array($0) }
        let parties = ["apu", "apv"].map { header[$0]?.string.flatMap(Base64URL.decode) ?? [] }
        for part in [Array(kind.algorithm.utf8)] + parties { message += Self.bigEndian(part.count) + part }
        let wrappingKey = SymmetricKey(data: SHA256.hash(data: message + Self.bigEndian(256)))
        return Array(try AES.KeyWrap.wrap(contentKey, using: wrappingKey))
    }

    private static func bigEndian(_ number: Int) -> [UInt8] {
        withUnsafeBytes(of: UInt32(number).bigEndian, Array.init)
    }
}

extension JSON {
    /// A point (x followed by y) as a public JWK.
    static func publicKey(_ point: some Collection<UInt8>, curve: String) -> JSON {
        let half = point.count / 2
        return [
            "kty": "EC", "crv": .string(curve), "x": .string(Base64URL.encode(Array(point.prefix(half)))),
            "y": .string(Base64URL.encode(Array(point.suffix(half)))),
        ]
    }
}

extension [String: JSON] {
    /// Replaces members; nil removes a member.
    mutating func change(_ changes: [String: JSON?]) {
        for (name, value) in changes { self[name] = value }
    }
}
