internal import COpenSSL
public import SecureMemory

/// A public key for Ed25519 signatures (RFC 8032 section 5.1): a point of edwards25519 that is not of small order.
public final class Ed25519PublicKey: Sendable {
    /// The length of the point's encoding.
    public static let byteCount = 32
    /// The length of a signature.
    public static let signatureByteCount = 64

    /// The point's encoding (RFC 8032 section 5.1.2), 32 bytes: what a JWK calls `x` (RFC 8037).
    public let rawRepresentation: [UInt8]
    /// The DER SubjectPublicKeyInfo (RFC 8410 section 4).
    public var subjectPublicKeyInfo: [UInt8] { Self.derBeginning + rawRepresentation }

    private let key: EVPKey

    /// Makes a key of a point's encoding, 32 bytes; throws `invalidPoint` where it is no point's one encoding, or where
    /// the point is of small order: under such a key one signature is valid for many messages.
    public init(rawRepresentation: [UInt8]) throws(CryptographyError) {
        guard rawRepresentation.count == Self.byteCount, try Edwards25519.isUsablePoint(rawRepresentation) else {
            throw failure(.invalidPoint)
        }
        let key = EVP_PKEY_new_raw_public_key(
            KeyType.ed25519.identifier, nil, rawRepresentation, rawRepresentation.count)
        self.key = try EVPKey(owning: key, orThrow: .invalidPoint)
        self.rawRepresentation = rawRepresentation
    }

    /// Reads a DER SubjectPublicKeyInfo with the algorithm id-Ed25519 and nothing after it. Throws `invalidKey` for any
    /// other form, and `invalidPoint` as ``init(rawRepresentation:)`` does.
    public convenience init(
        subjectPublicKeyInfo source: borrowing some ByteSource & ~Copyable
    ) throws(CryptographyError) {
        let der = source.publicCopy()
        guard der.count == Self.derBeginning.count + Self.byteCount, der.starts(with: Self.derBeginning) else {
            throw failure(.invalidKey)
        }
        try self.init(rawRepresentation: Array(der.suffix(Self.byteCount)))
    }

    /// Reads a PEM text (RFC 7468 section 13) of exactly one `PUBLIC KEY` block, whose content is that
    /// SubjectPublicKeyInfo; throws `invalidKey` or `invalidPoint`.
    public convenience init(pem: borrowing some ByteSource & ~Copyable) throws(CryptographyError) {
        try self.init(subjectPublicKeyInfo: PEM.decodePublicKey(pem))
    }

    /// The key in PEM, with a line end after its last line.
    public func pem() -> String {
        PEM.text(of: subjectPublicKeyInfo, label: PEM.publicKeyLabel)
    }

    /// Whether `signature`, 64 bytes, is the signature of `message`. The encodings in it must be the canonical ones
    /// (RFC 8032 section 5.1.7), so that nobody can make a second signature out of one.
    public func isValid(
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
    /// Whether both are the same point.
    public static func == (one: Ed25519PublicKey, other: Ed25519PublicKey) -> Bool {
        one.rawRepresentation == other.rawRepresentation
    }
}
