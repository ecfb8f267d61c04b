package import Crypto
package import CryptoExtras
internal import Foundation

/// A compact JWE of the protocol, opened and made with swift-crypto. Uses no code of the server.
package struct SealedValue: Sendable {
    /// The text is not a JWE of the protocol.
    package struct Malformed: Error {}

    package let header: [String: JSON]
    private let headerText: String
    private let encryptedKey: [UInt8]
    private let box: AES.GCM.SealedBox

    /// Parses the five parts (RFC 7516 section 7.1).
    package init(_ compact: String) throws {
        let texts = compact.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        let parts = texts.compactMap(Base64URL.decode)
        guard parts.count == 5, case .object(let header) = try JSON(parsing: parts[0]) else { throw Malformed() }
        headerText = texts[0]
        self.header = header
        encryptedKey = parts[1]
        box = try AES.GCM.SealedBox(nonce: AES.GCM.Nonce(data: parts[2]), ciphertext: parts[3], tag: parts[4])
    }

    /// Opens a JWE that was sealed with RSA-OAEP-256.
    package func open(with key: _RSA.Encryption.PrivateKey) throws -> [UInt8] {
        try open(SymmetricKey(data: try key.decrypt(Data(encryptedKey), padding: .PKCS1_OAEP_SHA256)))
    }

    /// Opens a JWE that was sealed with ECDH-ES+A256KW.
    package func open(with key: P256.KeyAgreement.PrivateKey) throws -> [UInt8] {
        guard let epk = header["epk"]?.object else { throw Malformed() }
        let secret = try key.sharedSecretFromKeyAgreement(with: try P256.KeyAgreement.PublicKey(jwk: epk))
        let wrapping = Self.wrappingKey(secret, header["apu"]?.string ?? "", header["apv"]?.string ?? "")
        return try open(try AES.KeyWrap.unwrap(encryptedKey, using: wrapping))
    }

    private func open(_ key: SymmetricKey) throws -> [UInt8] {
        Array(try AES.GCM.open(box, using: key, authenticating: Array(headerText.utf8)))
    }

    /// The Concat KDF for one block of SHA-256 (RFC 7518 section 4.6.2).
    fileprivate static func wrappingKey(_ secret: SharedSecret, _ partyU: String, _ partyV: String) -> SymmetricKey {
        var message: [UInt8] = [0, 0, 0, 1] + secret.withUnsafeBytes { Array($0) }
        let parts = [Array("ECDH-ES+A256KW".utf8), Base64URL.decode(partyU) ?? [], Base64URL.decode(partyV) ?? []]
        for part in parts { message += UInt32(part.count).bigEndianBytes + part }
        return SymmetricKey(data: SHA256.hash(data: message + UInt32(256).bigEndianBytes))
    }
}

/// The server's EC public key, to which banks and apps seal values.
package struct SealingKey: Sendable {
    /// Its `kid` in the key set.
    package let keyID: String
    private let key: P256.KeyAgreement.PublicKey

    package init(jwk: [String: JSON]) throws {
        guard let keyID = jwk["kid"]?.string else { throw SealedValue.Malformed() }
        self.keyID = keyID
        key = try P256.KeyAgreement.PublicKey(jwk: jwk)
    }

    /// Seals with ECDH-ES+A256KW and A256GCM.
    ///
    /// - Parameter binding: what the header says of the value; nil leaves it out.
    package func seal(_ plaintext: [UInt8], _ binding: SealedBinding?) throws -> String {
        let ephemeral = P256.KeyAgreement.PrivateKey()
        let contentKey = SymmetricKey(size: .bits256)
        let secret = try ephemeral.sharedSecretFromKeyAgreement(with: key)
        let encryptedKey = try AES.KeyWrap.wrap(contentKey, using: SealedValue.wrappingKey(secret, "", ""))
        var header: [String: JSON] = [
            "alg": "ECDH-ES+A256KW", "enc": "A256GCM", "kid": .string(keyID), "epk": ephemeral.publicKey.jwk,
        ]
        header.merge(binding?.members ?? [:]) { $1 }
        let headerText = Base64URL.encode(Array(JSON.object(header).text.utf8))
        let box = try AES.GCM.seal(plaintext, using: contentKey, authenticating: Array(headerText.utf8))
        let parts = [Array(encryptedKey), Array(box.nonce), Array(box.ciphertext), Array(box.tag)]
        return ([headerText] + parts.map(Base64URL.encode)).joined(separator: ".")
    }
}

/// What a value that is sealed to the server says that it is, and for whom (protocol, section 2.5).
package struct SealedBinding: Sendable {
    /// The header parameters.
    package let members: [String: JSON]

    /// - Parameters:
    ///   - contentType: `pin`, `indexes` or `authenticationCode`.
    ///   - requestId: the IdTransaction or the timestamp; nil in provisioning.
    package init(
        _ contentType: String, bankId: String, uniqueId: String, requestId: String? = nil, keypadId: String? = nil
    ) {
        var members: [String: JSON] = [
            "cty": .string(contentType), "iss": .string(bankId), "sub": .string(uniqueId),
        ]
        members["jti"] = requestId.map { .string($0) }
        members["keypadId"] = keypadId.map { .string($0) }
        self.members = members
    }

    /// Of a value that comes with a token.
    package init(_ contentType: String, for token: TestToken, keypadId: String? = nil) {
        func text(_ name: String) -> String { token.members[name]?.string ?? "" }
        self.init(
            contentType, bankId: text("IdBEL"), uniqueId: text("IdPorteur"), requestId: text("IdTransaction"),
            keypadId: keypadId)
    }
}

extension P256.KeyAgreement.PublicKey {
    fileprivate init(jwk: [String: JSON]) throws {
        let coordinates = ["x", "y"].map { jwk[$0]?.string.flatMap(Base64URL.decode) ?? [] }
        try self.init(rawRepresentation: coordinates[0] + coordinates[1])
    }

    fileprivate var jwk: JSON {
        let point = Array(rawRepresentation)
        return [
            "kty": "EC", "crv": "P-256", "x": .string(Base64URL.encode(Array(point.prefix(32)))),
            "y": .string(Base64URL.encode(Array(point.suffix(32)))),
        ]
    }
}

/// Base64url without padding (RFC 7515 section 2).
package enum Base64URL {
    package static func encode(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    /// The decoded bytes; nil if the text is not base64url.
    package static func decode(_ text: String) -> [UInt8]? {
        let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        let standard = text.replacing("-", with: "+").replacing("_", with: "/") + padding
        return Data(base64Encoded: standard).map(Array.init)
    }
}

package enum Hex {
    /// Lower-case hex.
    package static func encode(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// The decoded bytes; nil if the text is not hex.
    package static func decode(_ text: String) -> [UInt8]? {
        let digits = text.compactMap(\.hexDigitValue)
        guard digits.count == text.count, digits.count.isMultiple(of: 2) else { return nil }
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] * 16 + digits[$0 + 1]) }
    }
}

extension UInt32 {
    fileprivate var bigEndianBytes: [UInt8] { withUnsafeBytes(of: bigEndian, Array.init) }
}
