internal import COpenSSL

/// A CRL in OpenSSL, freed by `deinit`. It is not changed after it was made, and OpenSSL allows any number of threads to read
/// it.
final class X509CRLHandle: @unchecked Sendable {
    private let pointer: OpaquePointer

    /// Reads one CRL: PEM, or DER with nothing after it. Nil if there is none.
    init?(_ bytes: UnsafePointer<UInt8>, _ count: Int) {
        guard let found = Self.readPEM(bytes, count) ?? Self.readDER(bytes, count) else { return nil }
        pointer = found
    }

    deinit {
        X509_CRL_free(pointer)
    }

    var issuer: String { X509Handle.text(of: X509_CRL_get_issuer(pointer)) }

    /// In Unix seconds.
    var thisUpdate: Int64? { try? X509Handle.unixSeconds(of: X509_CRL_get0_lastUpdate(pointer)) }

    /// In Unix seconds; nil if there is none.
    var nextUpdate: Int64? {
        X509_CRL_get0_nextUpdate(pointer).flatMap { try? X509Handle.unixSeconds(of: $0) }
    }

    /// The CRL number (RFC 5280 section 5.2.3): big-endian, of that many bytes; nil if there is none.
    ///
    /// - Throws: `malformed` if it is no number, or too long.
    func number(byteCount: Int) throws(CertificateError) -> [UInt8]? {
        guard X509_CRL_get_ext_by_NID(pointer, NID_crl_number, -1) >= 0 else { return nil }
        defer { ERR_clear_error() }
        let found = X509_CRL_get_ext_d2i(pointer, NID_crl_number, nil, nil)?.assumingMemoryBound(to: ASN1_INTEGER.self)
        defer { ASN1_INTEGER_free(found) }
        let number = found.flatMap { ASN1_INTEGER_to_BN($0, nil) }
        defer { BN_free(number) }
        var bytes = [UInt8](repeating: 0, count: byteCount)
        guard let number, BN_is_negative(number) == 0, BN_bn2binpad(number, &bytes, Int32(byteCount)) >= 0 else {
            throw CertificateError(.malformed, "The number of the CRL of \(issuer) is malformed: get the CRL again.")
        }
        return bytes
    }

    /// Whether the list is complete: no extension makes it a part of a list, and no extension is critical, which could do the
    /// same.
    var isComplete: Bool {
        let partial = [NID_issuing_distribution_point, NID_delta_crl]
        guard partial.allSatisfy({ X509_CRL_get_ext_by_NID(pointer, $0, -1) < 0 }) else { return false }
        return (0..<X509_CRL_get_ext_count(pointer)).allSatisfy {
            X509_EXTENSION_get_critical(X509_CRL_get_ext(pointer, $0)) == 0
        }
    }

    /// The serial numbers of its entries.
    ///
    /// - Throws: `malformed` if there are too many; `partial` if an entry is about another CA's certificate, or has another
    ///   critical extension.
    func serialNumbers() throws(CertificateError) -> Set<[UInt8]> {
        // Null if there are no entries.
        guard let entries = X509_CRL_get_REVOKED(pointer) else { return [] }
        let count = OPENSSL_sk_num(entries)
        guard count <= RevocationList.entryCountLimit else {
            throw CertificateError(
                .malformed, "The CRL of \(issuer) must list at most \(RevocationList.entryCountLimit) certificates.")
        }
        var numbers: Set<[UInt8]> = []
        numbers.reserveCapacity(Int(count))
        for index in 0..<count {
            guard let entry = OPENSSL_sk_value(entries, index).map(OpaquePointer.init) else { continue }
            let isPlain = (0..<X509_REVOKED_get_ext_count(entry)).allSatisfy {
                X509_EXTENSION_get_critical(X509_REVOKED_get_ext(entry, $0)) == 0
            }
            guard isPlain, let number = X509Handle.der(of: X509_REVOKED_get0_serialNumber(entry)) else {
                throw CertificateError(
                    .partial, "An entry in the CRL of \(issuer) has a critical extension: get the CA's complete CRL.")
            }
            numbers.insert(number)
        }
        return numbers
    }

    func isIssued(by authority: X509Handle) -> Bool {
        X509_NAME_cmp(X509_get_subject_name(authority.pointer), X509_CRL_get_issuer(pointer)) == 0
    }

    func isSigned(by authority: X509Handle) -> Bool {
        defer { ERR_clear_error() }
        guard let key = authority.publicKey() else { return false }
        return X509_CRL_verify(pointer, key.pointer) == 1
    }

    /// Whether the signature's hash is broken, or the key has less than 112 bits of strength.
    func hasWeakSignature(by authority: X509Handle) -> Bool {
        guard let key = authority.publicKey(), EVP_PKEY_get_security_bits(key.pointer) >= 112 else { return true }
        var hash: Int32 = 0
        OBJ_find_sigid_algs(X509_CRL_get_signature_nid(pointer), &hash, nil)
        return [NID_sha1, NID_md5, NID_md4, NID_md2].contains(hash)
    }

    private static func readPEM(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> OpaquePointer? {
        defer { ERR_clear_error() }
        guard let input = BIO_new_mem_buf(bytes, Int32(count)) else { return nil }
        defer { BIO_free(input) }
        // The callback fails, so that OpenSSL does not ask for a passphrase on the terminal.
        guard let first = PEM_read_bio_X509_CRL(input, nil, { _, _, _, _ in -1 }, nil) else { return nil }
        guard let second = PEM_read_bio_X509_CRL(input, nil, { _, _, _, _ in -1 }, nil) else { return first }
        X509_CRL_free(first)
        X509_CRL_free(second)
        return nil
    }

    private static func readDER(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> OpaquePointer? {
        defer { ERR_clear_error() }
        var next: UnsafePointer<UInt8>? = bytes
        let list = d2i_X509_CRL(nil, &next, count)
        guard next == bytes + count else {
            X509_CRL_free(list)
            return nil
        }
        return list
    }
}
