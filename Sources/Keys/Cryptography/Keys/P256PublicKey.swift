internal import COpenSSL
package import SecureMemory

/// A public key on the curve P-256 (SP 800-186; `prime256v1` in OpenSSL): a point on the curve other than infinity.
package final class P256PublicKey: EncodedPublicKey, Sendable {
    package static let coordinateByteCount = 32

    /// The x coordinate, big-endian, 32 bytes.
    package let x: [UInt8]
    /// The y coordinate, big-endian, 32 bytes.
    package let y: [UInt8]
    /// The DER SubjectPublicKeyInfo (RFC 5480): named curve, uncompressed point.
    package var subjectPublicKeyInfo: [UInt8] { Self.derBeginning + x + y }

    let key: EVPKey

    /// Makes a key from the coordinates of a point, 32 bytes each.
    ///
    /// - Throws: `invalidPoint` if the point is not on the curve.
    package init(x: [UInt8], y: [UInt8]) throws(CryptographyError) {
        guard x.count == Self.coordinateByteCount, y.count == Self.coordinateByteCount else {
            throw failure(.invalidPoint)
        }
        // OpenSSL accepts only points on the curve. This is a full check (SP 800-56A section 5.6.2.3.4), because the
        // curve's cofactor is 1 and infinity cannot be written in this form.
        key = try EVPKey(pointOnP256: [4] + x + y)
        self.x = x
        self.y = y
    }

    /// Reads a DER SubjectPublicKeyInfo with the named curve and an uncompressed point, and nothing after it.
    ///
    /// - Throws: `invalidKey` for any other form (explicit parameters, compressed points, infinity, other curves),
    ///   `invalidPoint` if the point is not on the curve.
    package convenience init(
        subjectPublicKeyInfo source: borrowing some ByteSource & ~Copyable
    ) throws(CryptographyError) {
        // DER has only one form for this key. Everything except the coordinates is constant.
        let der = source.publicCopy()
        let size = Self.coordinateByteCount
        guard der.count == Self.derBeginning.count + 2 * size, der.starts(with: Self.derBeginning) else {
            throw failure(.invalidKey)
        }
        try self.init(x: Array(der.suffix(2 * size).prefix(size)), y: Array(der.suffix(size)))
    }

    /// SEQUENCE { SEQUENCE { id-ecPublicKey, secp256r1 }, BIT STRING { 4 …
    private static let derBeginning: [UInt8] = [
        0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06, 0x08, 0x2a, 0x86, 0x48,
        0xce, 0x3d, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00, 0x04,
    ]
}

extension P256PublicKey: Equatable {
    package static func == (one: P256PublicKey, other: P256PublicKey) -> Bool {
        one.x == other.x && one.y == other.y
    }
}
