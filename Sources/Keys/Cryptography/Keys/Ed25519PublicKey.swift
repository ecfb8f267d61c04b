internal import COpenSSL
package import SecureMemory

/// A public key for Ed25519 signatures (RFC 8032 section 5.1): a point of edwards25519 that is not of small order.
package final class Ed25519PublicKey: EncodedPublicKey, Sendable {
    /// The length of a point's encoding.
    package static let byteCount = 32

    /// The encoded point (RFC 8032 section 5.1.2), 32 bytes: `x` of a JWK (RFC 8037).
    package let rawRepresentation: [UInt8]
    /// The DER SubjectPublicKeyInfo (RFC 8410 section 4).
    package var subjectPublicKeyInfo: [UInt8] { Self.derBeginning + rawRepresentation }

    private let key: EVPKey

    /// Makes a key from an encoded point, 32 bytes.
    ///
    /// - Throws: `invalidPoint` if the encoding is not the canonical one of a point, or if the point has a small order:
    ///   with such a key, one signature is valid for many messages.
    package init(rawRepresentation: [UInt8]) throws(CryptographyError) {
        guard rawRepresentation.count == Self.byteCount, try Edwards25519.isUsablePoint(rawRepresentation) else {
            throw failure(.invalidPoint)
        }
        let key = EVP_PKEY_new_raw_public_key(
            KeyType.ed25519.identifier, nil, rawRepresentation, rawRepresentation.count)
        self.key = try EVPKey(owning: key, orThrow: .invalidPoint)
        self.rawRepresentation = rawRepresentation
    }

    /// Reads a DER SubjectPublicKeyInfo with the algorithm id-Ed25519 and nothing after it.
    ///
    /// - Throws: `invalidKey` for any other form, `invalidPoint` like ``init(rawRepresentation:)``.
    package convenience init(
        subjectPublicKeyInfo source: borrowing some ByteSource & ~Copyable
    ) throws(CryptographyError) {
        let der = source.publicCopy()
        guard der.count == Self.derBeginning.count + Self.byteCount, der.starts(with: Self.derBeginning) else {
            throw failure(.invalidKey)
        }
        try self.init(rawRepresentation: Array(der.suffix(Self.byteCount)))
    }

    /// Whether `signature`, 64 bytes, is the signature of `message`. Its encodings must be canonical (RFC 8032 section
    /// 5.1.7), so that a second signature cannot be made from an existing one.
    package func isValid(
        signature: borrowing some ByteSource & ~Copyable, for message: borrowing some ByteSource & ~Copyable
    ) -> Bool {
        key.isValid(signature, for: message, digest: nil)
    }

    /// SEQUENCE { SEQUENCE { id-Ed25519 }, BIT STRING { …
    private static let derBeginning: [UInt8] = [
        0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00,
    ]
}

extension Ed25519PublicKey: Equatable {
    package static func == (one: Ed25519PublicKey, other: Ed25519PublicKey) -> Bool {
        one.rawRepresentation == other.rawRepresentation
    }
}
