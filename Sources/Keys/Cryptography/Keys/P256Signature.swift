package import SecureMemory

extension P256PrivateKey {
    /// The ECDSA signature (FIPS 186-5 section 6.4) of `message` with SHA-256: r and s, big-endian, 32 bytes each.
    package func signECDSASHA256(
        _ message: borrowing some ByteSource & ~Copyable
    ) throws(CryptographyError) -> [UInt8] {
        let numbers = try ECDSANumbers(
            der: key.sign(message, digest: "SHA2-256"), byteCount: P256PublicKey.coordinateByteCount)
        return numbers.r + numbers.s
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
        let (raw, half) = (signature.publicCopy(), P256PublicKey.coordinateByteCount)
        guard raw.count == 2 * half else { return false }
        let numbers = ECDSANumbers(r: Array(raw.prefix(half)), s: Array(raw.suffix(half)))
        return key.isValid(numbers.der, for: message, digest: "SHA2-256")
    }
}

/// The two numbers of an ECDSA signature, big-endian.
struct ECDSANumbers {
    let r: [UInt8]
    let s: [UInt8]

    init(r: [UInt8], s: [UInt8]) {
        (self.r, self.s) = (r, s)
    }

    /// Reads what OpenSSL has made.
    ///
    /// - Parameter byteCount: how long each number becomes.
    init(der: [UInt8], byteCount: Int) throws(CryptographyError) {
        var rest = der[...]
        guard var numbers = DER.read(.sequence, from: &rest), let r = DER.readInteger(from: &numbers),
            let s = DER.readInteger(from: &numbers), r.count <= byteCount, s.count <= byteCount
        else { throw failure(.engineFailure) }
        self.init(r: r.withLeadingZeros(to: byteCount), s: s.withLeadingZeros(to: byteCount))
    }

    /// As OpenSSL reads them (RFC 3279 section 2.2.3).
    var der: [UInt8] { DER.write(.sequence, DER.integer(r) + DER.integer(s)) }
}
