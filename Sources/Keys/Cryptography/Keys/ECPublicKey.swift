internal import COpenSSL
package import SecureMemory

/// A public key on any ``NamedCurve``: a point on the curve other than infinity. For P-256 in the protocols of this
/// server there is ``P256PublicKey``.
package final class ECPublicKey: Sendable {
    package let curve: NamedCurve
    /// The uncompressed point: 4, x and y.
    package let point: [UInt8]

    let key: EVPKey

    /// - Throws: `invalidPoint` if the point is not in its uncompressed form, or not on the curve.
    package init(curve: NamedCurve, point: [UInt8]) throws(CryptographyError) {
        guard point.count == 2 * curve.coordinateByteCount + 1, point.first == 4 else { throw failure(.invalidPoint) }
        // OpenSSL accepts only points on the curve. The cofactor of all curves is 1, so the point has the right order.
        key = try EVPKey(
            owning: card_companion_ec_public_key(curve.rawValue, point, point.count), orThrow: .invalidPoint)
        self.curve = curve
        self.point = point
    }

    /// Whether r and s are the ECDSA signature (FIPS 186-5 section 6.4) of a message with this hash. If the hash is longer
    /// than the order, its first bits count.
    ///
    /// - Parameters: r and s: big-endian, of any length.
    package func isValidECDSA(r: [UInt8], s: [UInt8], digest: [UInt8]) -> Bool {
        let size = curve.coordinateByteCount + 1
        guard r.count <= size, s.count <= size else { return false }
        return key.isValid(ECDSANumbers(r: r, s: s).der, forDigest: digest)
    }
}

extension ECPublicKey: Equatable {
    package static func == (one: ECPublicKey, other: ECPublicKey) -> Bool {
        one.curve == other.curve && one.point == other.point
    }
}

/// A key pair on any ``NamedCurve``, for key agreement and for signing.
package final class ECPrivateKey: Sendable {
    package let publicKey: ECPublicKey

    private let key: EVPKey

    private init(key: EVPKey, curve: NamedCurve) throws(CryptographyError) {
        let size = curve.coordinateByteCount
        publicKey = try ECPublicKey(
            curve: curve,
            point: [4] + key.integer(OSSL_PKEY_PARAM_EC_PUB_X, byteCount: size)
                + key.integer(OSSL_PKEY_PARAM_EC_PUB_Y, byteCount: size))
        self.key = key
    }

    /// - Throws: `engineFailure` if OpenSSL lacks the curve.
    package static func generate(on curve: NamedCurve) throws(CryptographyError) -> ECPrivateKey {
        let key = try EVPKey.generate(.ec) { EVP_PKEY_CTX_set_group_name($0, curve.rawValue) }
        return try ECPrivateKey(key: key, curve: curve)
    }

    /// Makes the pair of a private number, big-endian.
    ///
    /// - Throws: `invalidKey` if the number is not between 1 and the order less 1.
    package convenience init(
        curve: NamedCurve, number: borrowing some ByteSource & ~Copyable
    ) throws(CryptographyError) {
        let scalar = try number.withOctets { (bytes, count) throws(CryptographyError) in
            try require(BN_bin2bn(bytes, Int32(count), BN_secure_new()))
        }
        defer { BN_clear_free(scalar) }
        BN_set_flags(scalar, BN_FLG_CONSTTIME)
        let point = try Self.publicPoint(of: scalar, curve)
        let key = try EVPKey(owning: card_companion_ec_key_pair(curve.rawValue, scalar, point, point.count))
        try key.requirePair()
        try self.init(key: key, curve: curve)
    }

    private static func publicPoint(of number: OpaquePointer, _ curve: NamedCurve) throws(CryptographyError) -> [UInt8]
    {
        let group = try require(EC_GROUP_new_by_curve_name(OBJ_txt2nid(curve.rawValue)))
        defer { EC_GROUP_free(group) }
        guard BN_is_zero(number) == 0, BN_cmp(number, EC_GROUP_get0_order(group)) < 0 else {
            throw failure(.invalidKey)
        }
        let point = try require(EC_POINT_new(group))
        defer { EC_POINT_free(point) }
        try require(EC_POINT_mul(group, point, number, nil, nil, nil), orThrow: .invalidKey)
        return try publicOutput(capacity: 2 * curve.coordinateByteCount + 1, orThrow: .invalidKey) { output, count in
            EC_POINT_point2oct(group, point, POINT_CONVERSION_UNCOMPRESSED, output, count, nil) == count ? 1 : 0
        }
    }

    /// The elliptic curve Diffie-Hellman shared secret (SP 800-56A section 5.7.1.2): the x coordinate of the common point
    /// at full length. Do not use it as a key: derive a key from it.
    ///
    /// - Throws: `invalidPoint` if the other key is on another curve.
    package func sharedSecret(with peer: ECPublicKey) throws(CryptographyError) -> SecretBytes {
        guard peer.curve == publicKey.curve else { throw failure(.invalidPoint) }
        return try key.sharedSecret(with: peer.key, byteCount: peer.curve.coordinateByteCount)
    }

    /// The ECDSA signature (FIPS 186-5 section 6.4) of a message with this hash: r and s, each as long as a coordinate.
    package func signECDSA(digest: [UInt8]) throws(CryptographyError) -> (r: [UInt8], s: [UInt8]) {
        let numbers = try ECDSANumbers(
            der: key.sign(digest: digest), byteCount: publicKey.curve.coordinateByteCount)
        return (numbers.r, numbers.s)
    }
}
