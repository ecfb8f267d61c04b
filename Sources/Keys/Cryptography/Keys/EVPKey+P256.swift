internal import COpenSSL

extension EVPKey {
    /// What keys on P-256 are made from: to find the curve by its name costs OpenSSL 160 allocations for each key, to copy it 60. Nil
    /// if it lacks the curve.
    private static let parametersOfP256 = try? NamedCurve.p256.makeKeyOfParameters()

    /// A public key from an uncompressed point.
    ///
    /// - Throws: `invalidPoint` if the point is not on the curve.
    convenience init(pointOnP256 point: [UInt8]) throws(CryptographyError) {
        try self.init(owning: EVP_PKEY_dup(try require(Self.parametersOfP256).pointer), orThrow: .engineFailure)
        try require(EVP_PKEY_set1_encoded_public_key(pointer, point, point.count), orThrow: .invalidPoint)
    }

    static func generateOnP256() throws(CryptographyError) -> EVPKey {
        try generate(like: try require(parametersOfP256))
    }
}
