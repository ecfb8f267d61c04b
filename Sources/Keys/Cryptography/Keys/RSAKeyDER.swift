/// The DER SubjectPublicKeyInfo of an RSA key (RFC 3279 section 2.3.1). Read and written without OpenSSL, because
/// OpenSSL's general decoders take several times as long as an encryption with the key:
/// SEQUENCE { SEQUENCE { rsaEncryption, NULL }, BIT STRING { SEQUENCE { modulus INTEGER, publicExponent INTEGER } } }
struct RSAKeyDER: Equatable {
    /// Big-endian, no leading zero.
    let modulus: [UInt8]
    /// Big-endian, no leading zero.
    let publicExponent: [UInt8]

    /// SEQUENCE { rsaEncryption, NULL }
    private static let algorithm: [UInt8] = [
        0x30, 0x0d, 0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01, 0x05, 0x00,
    ]

    init(modulus: [UInt8], publicExponent: [UInt8]) {
        self.modulus = modulus
        self.publicExponent = publicExponent
    }

    /// Reads a key. Nil if the bytes differ from ``encoded`` of that key.
    init?(_ der: [UInt8]) {
        var rest = der[...]
        guard var info = DER.read(.sequence, from: &rest), info.starts(with: Self.algorithm) else { return nil }
        info.removeFirst(Self.algorithm.count)
        guard var bits = DER.read(.bitString, from: &info), bits.popFirst() == 0,
            var key = DER.read(.sequence, from: &bits),
            let modulus = DER.readInteger(from: &key), let exponent = DER.readInteger(from: &key)
        else { return nil }
        self.init(modulus: modulus, publicExponent: exponent)
        guard encoded == der else { return nil }
    }

    var encoded: [UInt8] {
        let numbers = DER.integer(modulus) + DER.integer(publicExponent)
        let key = DER.write(.bitString, [0] + DER.write(.sequence, numbers))
        return DER.write(.sequence, Self.algorithm + key)
    }
}
