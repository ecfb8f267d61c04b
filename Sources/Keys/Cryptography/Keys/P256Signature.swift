package import SecureMemory

extension P256PrivateKey {
    /// The ECDSA signature (FIPS 186-5 section 6.4) of `message` with SHA-256: r and s, big-endian, 32 bytes each.
    package func signECDSASHA256(
        _ message: borrowing some ByteSource & ~Copyable
    ) throws(CryptographyError) -> [UInt8] {
        try P256Signature.raw(der: key.sign(message, digest: "SHA2-256"))
    }
}

extension P256PublicKey {
    /// Whether `signature` (r and s, 32 bytes each) is an ECDSA signature (FIPS 186-5 section 6.4) of `message` with
    /// SHA-256.
    ///
    /// If (r, s) is valid, (r, order - s) is valid too. Do not use the bytes of a signature as an identifier of the
    /// message.
    package func isValidECDSASHA256(
        signature: borrowing some ByteSource & ~Copyable, for message: borrowing some ByteSource & ~Copyable
    ) -> Bool {
        guard let der = P256Signature.der(raw: signature.publicCopy()) else { return false }
        return key.isValid(der, for: message, digest: "SHA2-256")
    }
}

/// Converts between two forms of an ECDSA signature: r followed by s, and the DER of RFC 3279 section 2.2.3, which
/// OpenSSL uses.
private enum P256Signature {
    private static let integerByteCount = P256PublicKey.coordinateByteCount

    static func raw(der: [UInt8]) throws(CryptographyError) -> [UInt8] {
        var rest = der[...]
        guard var numbers = DER.read(.sequence, from: &rest), let r = DER.readInteger(from: &numbers),
            let s = DER.readInteger(from: &numbers), r.count <= integerByteCount, s.count <= integerByteCount
        else { throw failure(.engineFailure) }
        return padded(r) + padded(s)
    }

    static func der(raw: [UInt8]) -> [UInt8]? {
        guard raw.count == 2 * integerByteCount else { return nil }
        return DER.write(
            .sequence, DER.integer(raw.prefix(integerByteCount)) + DER.integer(raw.suffix(integerByteCount)))
    }

    private static func padded(_ number: [UInt8]) -> [UInt8] {
        [UInt8](repeating: 0, count: integerByteCount - number.count) + number
    }
}
