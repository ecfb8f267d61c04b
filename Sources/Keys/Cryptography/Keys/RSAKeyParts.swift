internal import COpenSSL

/// The numbers of a private RSA key with two primes (RFC 8017 section 3.2).
struct RSAKeyParts {
    private let n: PrivateNumber
    private let e: PrivateNumber
    private let d: PrivateNumber
    private let p: PrivateNumber
    private let q: PrivateNumber
    private let dP: PrivateNumber
    private let dQ: PrivateNumber
    private let qInv: PrivateNumber

    /// - Throws: `invalidKey` if the key has no such numbers.
    init(of key: EVPKey) throws(CryptographyError) {
        n = try PrivateNumber(of: key, OSSL_PKEY_PARAM_RSA_N)
        e = try PrivateNumber(of: key, OSSL_PKEY_PARAM_RSA_E)
        d = try PrivateNumber(of: key, OSSL_PKEY_PARAM_RSA_D)
        p = try PrivateNumber(of: key, OSSL_PKEY_PARAM_RSA_FACTOR + "1")
        q = try PrivateNumber(of: key, OSSL_PKEY_PARAM_RSA_FACTOR + "2")
        dP = try PrivateNumber(of: key, OSSL_PKEY_PARAM_RSA_EXPONENT + "1")
        dQ = try PrivateNumber(of: key, OSSL_PKEY_PARAM_RSA_EXPONENT + "2")
        qInv = try PrivateNumber(of: key, OSSL_PKEY_PARAM_RSA_COEFFICIENT + "1")
    }

    /// Throws `invalidKey` unless `n = pq`, `ed = 1`, `dP = d` and `dQ = d` modulo `p - 1` and `q - 1`, `d < n`, and
    /// `q qInv = 1` modulo `p`.
    ///
    /// It does not check whether `p` and `q` are prime, which would take a hundred times as long. It notices a damaged
    /// factor, but not one that someone chose so that all numbers fit. Such a key is weaker than it looks.
    func requireTogether() throws(CryptographyError) {
        let context = try require(BN_CTX_secure_new())
        defer { BN_CTX_free(context) }
        let pLess1 = try p.less1()
        let qLess1 = try q.less1()
        guard try n.compare(with: PrivateNumber.product(p, q, context)) == 0,
            d.compare(with: n) < 0,
            try PrivateNumber.product(e, d, modulo: pLess1, context).isOne,
            try PrivateNumber.product(e, d, modulo: qLess1, context).isOne,
            try dP.compare(with: d.modulo(pLess1, context)) == 0,
            try dQ.compare(with: d.modulo(qLess1, context)) == 0,
            try PrivateNumber.product(q, qInv, modulo: p, context).isOne
        else { throw failure(.invalidKey) }
    }
}

/// A number that must stay secret, in OpenSSL's secure heap, cleared by `deinit`.
private final class PrivateNumber {
    // Only this object's functions use it, because the number is freed as soon as the object is no longer needed.
    private let pointer: OpaquePointer

    /// Takes ownership of the number.
    private init(owning number: OpaquePointer?) throws(CryptographyError) {
        pointer = try require(number)
    }

    private convenience init() throws(CryptographyError) {
        try self.init(owning: BN_secure_new())
    }

    convenience init(of key: EVPKey, _ parameter: String) throws(CryptographyError) {
        try self.init()
        var number: OpaquePointer? = pointer
        try require(EVP_PKEY_get_bn_param(key.pointer, parameter, &number), orThrow: .invalidKey)
    }

    deinit {
        BN_clear_free(pointer)
    }

    var isOne: Bool { BN_is_one(pointer) == 1 }

    /// 0 if they are equal, a negative number if this one is less.
    func compare(with other: PrivateNumber) -> Int32 { BN_cmp(pointer, other.pointer) }

    /// The number less one.
    ///
    /// - Throws: `invalidKey` for 0 and 1, which divide nothing.
    func less1() throws(CryptographyError) -> PrivateNumber {
        let result = try PrivateNumber(owning: BN_dup(pointer))
        try require(BN_sub_word(result.pointer, 1), orThrow: .engineFailure)
        guard BN_is_zero(result.pointer) == 0, BN_is_negative(result.pointer) == 0 else { throw failure(.invalidKey) }
        return result
    }

    func modulo(
        _ modulus: PrivateNumber, _ context: OpaquePointer
    ) throws(CryptographyError) -> PrivateNumber {
        let result = try PrivateNumber()
        try require(BN_div(nil, result.pointer, pointer, modulus.pointer, context), orThrow: .engineFailure)
        return result
    }

    static func product(
        _ one: PrivateNumber, _ other: PrivateNumber, _ context: OpaquePointer
    ) throws(CryptographyError) -> PrivateNumber {
        let result = try PrivateNumber()
        try require(BN_mul(result.pointer, one.pointer, other.pointer, context), orThrow: .engineFailure)
        return result
    }

    static func product(
        _ one: PrivateNumber, _ other: PrivateNumber, modulo modulus: PrivateNumber,
        _ context: OpaquePointer
    ) throws(CryptographyError) -> PrivateNumber {
        try product(one, other, context).modulo(modulus, context)
    }
}
