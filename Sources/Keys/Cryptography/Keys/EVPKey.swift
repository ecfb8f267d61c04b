internal import COpenSSL
internal import SecureMemory

/// An asymmetric key in OpenSSL, freed by `deinit`. It is never changed, and OpenSSL allows any number of threads to
/// read it.
final class EVPKey: @unchecked Sendable {
    let pointer: OpaquePointer

    /// Takes ownership of the key.
    ///
    /// - Throws: `code` if `pointer` is null.
    init(owning pointer: OpaquePointer?, orThrow code: CryptographyError.Code = .invalidKey) throws(CryptographyError) {
        self.pointer = try require(pointer, orThrow: code)
    }

    deinit {
        EVP_PKEY_free(pointer)
    }

    var bits: Int { Int(EVP_PKEY_get_bits(pointer)) }

    /// The greatest length of a signature or a ciphertext.
    var outputByteCount: Int { Int(EVP_PKEY_get_size(pointer)) }

    func isOfType(_ type: KeyType) -> Bool {
        EVP_PKEY_get_base_id(pointer) == type.identifier
    }

    /// A public integer of the key, big-endian. Padded with leading zeros to `byteCount` bytes if that is given.
    func integer(_ parameter: String, byteCount: Int? = nil) throws(CryptographyError) -> [UInt8] {
        var number: OpaquePointer?
        try require(EVP_PKEY_get_bn_param(pointer, parameter, &number), orThrow: .invalidKey)
        defer { BN_free(number) }
        let byteCount = byteCount ?? Int(BN_num_bits(number) + 7) / 8
        return try publicOutput(capacity: byteCount, orThrow: .invalidKey) { output, count in
            BN_bn2binpad(number, output, Int32(count)) == count ? 1 : 0
        }
    }

    /// A new context for an operation with the key. The caller must free it.
    func makeContext() throws(CryptographyError) -> OpaquePointer {
        try require(EVP_PKEY_CTX_new_from_pkey(nil, pointer, nil))
    }

    /// Throws `invalidKey` unless the private and the public part belong together.
    func requirePair() throws(CryptographyError) {
        let context = try makeContext()
        defer { EVP_PKEY_CTX_free(context) }
        try require(EVP_PKEY_pairwise_check(context), orThrow: .invalidKey)
    }
}

/// The key types that this module supports.
enum KeyType {
    case rsa
    case ec
    case ed25519

    var identifier: Int32 {
        switch self {
        case .rsa: EVP_PKEY_RSA
        case .ec: EVP_PKEY_EC
        case .ed25519: EVP_PKEY_ED25519
        }
    }
}

// MARK: Making keys

extension EVPKey {
    /// Generates a key pair. `configure` sets the parameters of the type, and returns 1 for success.
    static func generate(
        _ type: KeyType, configure: (OpaquePointer) -> Int32 = { _ in 1 }
    ) throws(CryptographyError) -> EVPKey {
        try generate(in: require(EVP_PKEY_CTX_new_id(type.identifier, nil)), configure)
    }

    /// Generates a key pair with the parameters of another key.
    static func generate(like key: EVPKey) throws(CryptographyError) -> EVPKey {
        try generate(in: key.makeContext()) { _ in 1 }
    }

    /// - Parameter context: of a new key; it is freed.
    private static func generate(
        in context: OpaquePointer, _ configure: (OpaquePointer) -> Int32
    ) throws(CryptographyError) -> EVPKey {
        defer { EVP_PKEY_CTX_free(context) }
        try require(EVP_PKEY_keygen_init(context), orThrow: .engineFailure)
        try require(configure(context), orThrow: .invalidKey)
        var key: OpaquePointer?
        try require(EVP_PKEY_generate(context, &key), orThrow: .engineFailure)
        return try EVPKey(owning: key)
    }
}

extension EVPKey {
    /// A public RSA key from its modulus and exponent, big-endian.
    static func rsaPublicKey(modulus: [UInt8], exponent: [UInt8]) throws(CryptographyError) -> EVPKey {
        let numbers = [modulus, exponent].map { (number: [UInt8]) in BN_bin2bn(number, Int32(number.count), nil) }
        defer { numbers.forEach(BN_free) }
        return try EVPKey(owning: card_companion_rsa_public_key(numbers[0], numbers[1]))
    }

    /// The elliptic curve Diffie-Hellman shared secret (SP 800-56A section 5.7.1.2) with a key on the same curve: the x
    /// coordinate of the common point, whose length is `byteCount`.
    ///
    /// - Parameter peer: its point is on the curve, as ``P256PublicKey`` and ``ECPublicKey`` have checked. OpenSSL does not check
    ///   it again, because that costs as much as the agreement.
    func sharedSecret(with peer: EVPKey, byteCount: Int) throws(CryptographyError) -> SecretBytes {
        let context = try makeContext()
        defer { EVP_PKEY_CTX_free(context) }
        try require(EVP_PKEY_derive_init(context), orThrow: .engineFailure)
        try require(EVP_PKEY_derive_set_peer_ex(context, peer.pointer, 0), orThrow: .invalidPoint)
        return try secretOutput(capacity: byteCount, orThrow: .engineFailure) { output, count in
            EVP_PKEY_derive(context, output, &count)
        }
    }
}

// MARK: Encodings

extension EVPKey {
    /// The private key as unencrypted PKCS#8 (RFC 5958).
    func privateKeyInfo(_ encoding: PrivateKeyEncoding) throws(CryptographyError) -> SecretBytes {
        let encoder = try require(card_companion_private_key_encoder(pointer, encoding == .pem ? 1 : 0))
        defer { OSSL_ENCODER_CTX_free(encoder) }
        let output = try require(BIO_new(BIO_s_secmem()))
        defer { BIO_free(output) }
        try require(OSSL_ENCODER_to_bio(encoder, output), orThrow: .engineFailure)
        var content: UnsafeMutablePointer<CChar>?
        let byteCount = card_companion_bio_content(output, &content)
        return SecretBytes(copying: UnsafeRawBufferPointer(start: content, count: byteCount))
    }

    /// Reads a private key in unencrypted PKCS#8. DER must have nothing after the key. PEM can have text around it.
    ///
    /// - Throws: `invalidKey`.
    convenience init(
        privateKeyInfo source: borrowing some ByteSource & ~Copyable, encoding: PrivateKeyEncoding, type: KeyType
    ) throws(CryptographyError) {
        var key: OpaquePointer?
        let status = source.withOctets { bytes, count in
            withUnsafeMutablePointer(to: &key) { slot in
                Self.decodePrivateKey(UnsafeRawBufferPointer(start: bytes, count: count), encoding, type, into: slot)
            }
        }
        guard status == 1 else {
            EVP_PKEY_free(key)
            throw failure(.invalidKey)
        }
        try self.init(owning: key)
    }

    private static func decodePrivateKey(
        _ bytes: UnsafeRawBufferPointer, _ encoding: PrivateKeyEncoding, _ type: KeyType,
        into slot: UnsafeMutablePointer<OpaquePointer?>
    ) -> Int32 {
        let isPEM: Int32 = encoding == .pem ? 1 : 0
        guard let decoder = card_companion_private_key_decoder(slot, isPEM, type.identifier) else { return 0 }
        defer { OSSL_DECODER_CTX_free(decoder) }
        var next: UnsafePointer<UInt8>? = bytes.octets
        var left = bytes.count
        guard OSSL_DECODER_from_data(decoder, &next, &left) == 1 else { return 0 }
        return encoding == .pem || left == 0 ? 1 : 0
    }
}
