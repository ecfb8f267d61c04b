internal import COpenSSL

/// The checks of points on edwards25519 (RFC 8032 section 5.1) that OpenSSL leaves to its callers.
enum Edwards25519 {
    /// Whether the encoding, 32 bytes, is canonical, and its point is on the curve and does not have a small order.
    static func isUsablePoint(_ encoding: [UInt8]) throws(CryptographyError) -> Bool {
        // Little-endian; the highest bit is the sign of x.
        let y = Array(encoding.dropLast()) + [encoding[31] & 0x7f]
        let isReduced = y.reversed().lexicographicallyPrecedes(prime.reversed())
        guard isReduced, !smallOrder.contains(y) else { return false }
        return try isOnCurve(y)
    }

    /// x² = (y² - 1) / (d y² + 1) has a root if and only if numerator times denominator is a square, that is, if its
    /// Kronecker symbol is 1. The symbol is 0 only for points of small order.
    private static func isOnCurve(_ y: [UInt8]) throws(CryptographyError) -> Bool {
        let arithmetic = try require(BN_CTX_new())
        defer { BN_CTX_free(arithmetic) }
        let modulus = BN_lebin2bn(prime, Int32(prime.count), nil)
        let factor = BN_lebin2bn(d, Int32(d.count), nil)
        let (square, product) = (BN_lebin2bn(y, Int32(y.count), nil), BN_new())
        defer { for number in [modulus, factor, square, product] { BN_free(number) } }
        guard let modulus, let factor, let square, let product else { throw failure(.engineFailure) }
        let steps = [
            BN_mod_sqr(square, square, modulus, arithmetic),
            BN_mod_mul(product, factor, square, modulus, arithmetic),
            BN_add_word(product, 1),
            BN_sub_word(square, 1),
            BN_mod_mul(product, product, square, modulus, arithmetic),
        ]
        guard steps.allSatisfy({ $0 == 1 }) else { throw failure(.engineFailure) }
        return BN_kronecker(product, modulus, arithmetic) == 1
    }

    /// 2^255 - 19, little-endian.
    private static let prime: [UInt8] = [0xed] + [UInt8](repeating: 0xff, count: 30) + [0x7f]

    /// -121665 / 121666, little-endian.
    private static let d: [UInt8] = [
        0xa3, 0x78, 0x59, 0x13, 0xca, 0x4d, 0xeb, 0x75, 0xab, 0xd8, 0x41, 0x41, 0x4d, 0x0a, 0x70, 0x00,
        0x98, 0xe8, 0x79, 0x77, 0x79, 0x40, 0xc7, 0x8c, 0x73, 0xfe, 0x6f, 0x2b, 0xee, 0x6c, 0x03, 0x52,
    ]

    /// The y coordinates of the eight points whose order divides 8, little-endian.
    private static let smallOrder: [[UInt8]] = [
        [UInt8](repeating: 0, count: 32),
        [1] + [UInt8](repeating: 0, count: 31),
        [0xec] + [UInt8](repeating: 0xff, count: 30) + [0x7f],
        [
            0x26, 0xe8, 0x95, 0x8f, 0xc2, 0xb2, 0x27, 0xb0, 0x45, 0xc3, 0xf4, 0x89, 0xf2, 0xef, 0x98, 0xf0,
            0xd5, 0xdf, 0xac, 0x05, 0xd3, 0xc6, 0x33, 0x39, 0xb1, 0x38, 0x02, 0x88, 0x6d, 0x53, 0xfc, 0x05,
        ],
        [
            0xc7, 0x17, 0x6a, 0x70, 0x3d, 0x4d, 0xd8, 0x4f, 0xba, 0x3c, 0x0b, 0x76, 0x0d, 0x10, 0x67, 0x0f,
            0x2a, 0x20, 0x53, 0xfa, 0x2c, 0x39, 0xcc, 0xc6, 0x4e, 0xc7, 0xfd, 0x77, 0x92, 0xac, 0x03, 0x7a,
        ],
    ]
}
