internal import COpenSSL
internal import SecureMemory

/// A certificate in OpenSSL, freed by `deinit`. It is not changed after it was made, and OpenSSL allows any number of
/// threads to read it.
final class X509Handle: @unchecked Sendable {
    let pointer: OpaquePointer

    /// Takes ownership of the certificate.
    ///
    /// - Throws: `invalidCertificate` if `pointer` is null.
    init(owning pointer: OpaquePointer?) throws(CryptographyError) {
        self.pointer = try require(pointer, orThrow: .invalidCertificate)
    }

    deinit {
        X509_free(pointer)
    }

    /// Reads one certificate in DER with nothing after it.
    ///
    /// - Throws: `invalidCertificate`.
    convenience init(der: borrowing some ByteSource & ~Copyable) throws(CryptographyError) {
        let certificate: OpaquePointer? = der.withOctets { bytes, count in
            var next: UnsafePointer<UInt8>? = bytes
            let certificate = d2i_X509(nil, &next, count)
            guard next == bytes + count else {
                X509_free(certificate)
                return nil
            }
            return certificate
        }
        try self.init(owning: certificate)
    }

    func der() throws(CryptographyError) -> [UInt8] {
        let byteCount = Int(i2d_X509(pointer, nil))
        return try publicOutput(capacity: byteCount, orThrow: .invalidCertificate) { output, count in
            var end: UnsafeMutablePointer<UInt8>? = output
            return i2d_X509(pointer, &end) == count ? 1 : 0
        }
    }

    var subject: String { Self.text(of: X509_get_subject_name(pointer)) }

    var issuer: String { Self.text(of: X509_get_issuer_name(pointer)) }

    func notBefore() throws(CryptographyError) -> Int64 {
        try Self.unixSeconds(of: X509_get0_notBefore(pointer))
    }

    func notAfter() throws(CryptographyError) -> Int64 {
        try Self.unixSeconds(of: X509_get0_notAfter(pointer))
    }

    /// The public key, of any type; nil if OpenSSL cannot read it.
    func publicKey() -> EVPKey? {
        let key = X509_get_pubkey(pointer)
        if key == nil { ERR_clear_error() }
        return try? EVPKey(owning: key)
    }

    /// Whether it can act as a CA: because of its basic constraints or its key usage, or because it is a self-signed
    /// certificate of version 1.
    var isCA: Bool { X509_check_ca(pointer) != 0 }

    /// Whether its key usage, if it has one, allows signatures other than on certificates.
    var allowsDigitalSignature: Bool { X509_get_key_usage(pointer) & UInt32(KU_DIGITAL_SIGNATURE) != 0 }

    /// Whether its key usage, if it has one, allows the encryption of keys.
    var allowsKeyEncipherment: Bool { X509_get_key_usage(pointer) & UInt32(KU_KEY_ENCIPHERMENT) != 0 }

    /// Whether its key usage, if it has one, allows signatures on CRLs.
    var allowsCRLSigning: Bool { X509_get_key_usage(pointer) & UInt32(KU_CRL_SIGN) != 0 }

    /// The serial number in DER.
    func serialNumber() throws(CryptographyError) -> [UInt8] {
        try require(Self.der(of: X509_get0_serialNumber(pointer)), orThrow: .invalidCertificate)
    }

    /// A serial number in DER; nil if OpenSSL cannot write it.
    static func der(of number: UnsafePointer<ASN1_INTEGER>?) -> [UInt8]? {
        let byteCount = Int(i2d_ASN1_INTEGER(number, nil))
        return try? publicOutput(capacity: byteCount, orThrow: .invalidCertificate) { output, count in
            var end: UnsafeMutablePointer<UInt8>? = output
            return i2d_ASN1_INTEGER(number, &end) == count ? 1 : 0
        }
    }

    /// The name as text (RFC 2253).
    static func text(of name: OpaquePointer?) -> String {
        guard let output = BIO_new(BIO_s_mem()) else { return "" }
        defer { BIO_free(output) }
        X509_NAME_print_ex(output, name, 0, card_companion_rfc2253_flags())
        var content: UnsafeMutablePointer<CChar>?
        let count = card_companion_bio_content(output, &content)
        return String(decoding: UnsafeRawBufferPointer(start: content, count: max(count, 0)), as: UTF8.self)
    }

    static func unixSeconds(of time: UnsafePointer<ASN1_TIME>?) throws(CryptographyError) -> Int64 {
        let epoch = try require(ASN1_TIME_set(nil, 0))
        defer { ASN1_TIME_free(epoch) }
        var days: Int32 = 0
        var seconds: Int32 = 0
        try require(ASN1_TIME_diff(&days, &seconds, epoch, time), orThrow: .invalidCertificate)
        return Int64(days) * 86_400 + Int64(seconds)
    }
}
