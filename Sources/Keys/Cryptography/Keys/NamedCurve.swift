internal import COpenSSL

/// The elliptic curves that documents use: those of NIST (SP 800-186) and Brainpool (RFC 5639, the r1 curves).
package enum NamedCurve: String, CaseIterable, Sendable {
    case p192 = "prime192v1"
    case p224 = "secp224r1"
    case p256 = "prime256v1"
    case p384 = "secp384r1"
    case p521 = "secp521r1"
    case brainpoolP192r1
    case brainpoolP224r1
    case brainpoolP256r1
    case brainpoolP320r1
    case brainpoolP384r1
    case brainpoolP512r1

    /// The domain parameters of a curve over a prime field: numbers in big-endian without leading zeros.
    package struct Parameters: Hashable, Sendable {
        package let prime: [UInt8]
        package let a: [UInt8]
        package let b: [UInt8]
        /// The base point, uncompressed.
        package let generator: [UInt8]
        package let order: [UInt8]
        package let cofactor: [UInt8]

        package init(
            prime: [UInt8], a: [UInt8], b: [UInt8], generator: [UInt8], order: [UInt8], cofactor: [UInt8]
        ) {
            self.prime = prime
            self.a = a
            self.b = b
            self.generator = generator
            self.order = order
            self.cofactor = cofactor
        }
    }

    /// The length of a coordinate. The order of the group has the same length.
    package var coordinateByteCount: Int {
        switch self {
        case .p192, .brainpoolP192r1: 24
        case .p224, .brainpoolP224r1: 28
        case .p256, .brainpoolP256r1: 32
        case .brainpoolP320r1: 40
        case .p384, .brainpoolP384r1: 48
        case .brainpoolP512r1: 64
        case .p521: 66
        }
    }

    package var orderBitCount: Int { self == .p521 ? 521 : coordinateByteCount * 8 }

    /// The parameters as OpenSSL has them; nil if it lacks the curve.
    package var parameters: Parameters? { Self.known[self] }

    /// The curve that has exactly these parameters, or nil.
    package init?(parameters: Parameters) {
        guard let curve = Self.known.first(where: { $0.value == parameters })?.key else { return nil }
        self = curve
    }

    private static let known: [NamedCurve: Parameters] = allCases.reduce(into: [:]) { known, curve in
        known[curve] = try? curve.readParameters()
    }

    /// The curve as OpenSSL has it: a key with parameters, and no numbers.
    ///
    /// - Throws: `engineFailure` if it lacks the curve.
    func makeKeyOfParameters() throws(CryptographyError) -> EVPKey {
        let context = try require(EVP_PKEY_CTX_new_id(KeyType.ec.identifier, nil))
        defer { EVP_PKEY_CTX_free(context) }
        try require(EVP_PKEY_paramgen_init(context), orThrow: .engineFailure)
        try require(EVP_PKEY_CTX_set_group_name(context, rawValue), orThrow: .engineFailure)
        var pointer: OpaquePointer?
        try require(EVP_PKEY_paramgen(context, &pointer), orThrow: .engineFailure)
        return try EVPKey(owning: pointer)
    }

    private func readParameters() throws(CryptographyError) -> Parameters {
        let key = try makeKeyOfParameters()
        let generator = try publicOutput(capacity: 2 * coordinateByteCount + 1, orThrow: .engineFailure) {
            EVP_PKEY_get_octet_string_param(key.pointer, OSSL_PKEY_PARAM_EC_GENERATOR, $0, $1, &$1)
        }
        return try Parameters(
            prime: key.integer(OSSL_PKEY_PARAM_EC_P), a: key.integer(OSSL_PKEY_PARAM_EC_A),
            b: key.integer(OSSL_PKEY_PARAM_EC_B), generator: generator, order: key.integer(OSSL_PKEY_PARAM_EC_ORDER),
            cofactor: key.integer(OSSL_PKEY_PARAM_EC_COFACTOR))
    }
}
