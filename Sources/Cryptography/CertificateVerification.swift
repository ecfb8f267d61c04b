internal import COpenSSL

extension Certificate {
    /// The smallest RSA key that a signing certificate may have, in bits.
    public static let smallestSigningKeyBits = 2048

    /// What a certificate's key is to be used for.
    public enum Use: Sendable {
        /// To verify its holder's signatures, with RSA.
        case signature
        /// To seal to its holder, with RSA.
        case encryption
        /// To tell its holder by the connection (TLS), with any kind of key.
        case clientAuthentication
    }

    /// Checks that this certificate is fit for a use, at a point in time: an RSA key of at least 2048 bits (for a
    /// connection any key of 112 bits of strength), not a CA, a key usage that allows it (where it has one), and a chain
    /// to one of `trustedCAs` (RFC 5280 section 6) without SHA-1, MD5 or shorter keys in it. Revocation is not looked at.
    ///
    /// - Parameters:
    ///   - use: what for.
    ///   - intermediates: certificates that may stand between this one and a trusted CA, in any order.
    ///   - trustedCAs: the roots.
    ///   - unixSeconds: the point in time.
    public func verify(
        for use: Use = .signature, chain intermediates: [Certificate], trustedCAs: [Certificate], at unixSeconds: Int64
    ) throws(CertificateError) {
        if use != .clientAuthentication { try verifyRSAKey() }
        try verifyUsage(use)
        let problem: CertificateError?
        do {
            problem = try chainProblem(intermediates, trustedCAs, at: unixSeconds)
        } catch {
            problem = CertificateError(.malformed, "The certificate of \(subject) could not be checked: \(error).")
        }
        if let problem { throw problem }
    }

    private func verifyRSAKey() throws(CertificateError) {
        guard let key = handle.publicKey() else {
            throw CertificateError(.malformed, "The public key in the certificate of \(subject) cannot be read.")
        }
        guard key.isOfType(.rsa) else {
            throw CertificateError(.notRSA, "The certificate of \(subject) does not hold an RSA key.")
        }
        guard key.bits >= Self.smallestSigningKeyBits else {
            throw CertificateError(
                .weakKey,
                "The RSA key in the certificate of \(subject) has \(key.bits) bits; at least "
                    + "\(Self.smallestSigningKeyBits) are needed.")
        }
        guard rsaPublicKey != nil else {
            throw CertificateError(.malformed, "The RSA key in the certificate of \(subject) is not a valid one.")
        }
    }

    private func verifyUsage(_ use: Use) throws(CertificateError) {
        guard !handle.isCA else {
            throw CertificateError(.isCA, "The certificate of \(subject) is a CA's, not one of its holder's own.")
        }
        let (isAllowed, name) =
            use == .encryption
            ? (handle.allowsKeyEncipherment, "key encipherment") : (handle.allowsDigitalSignature, "digital signatures")
        guard isAllowed else {
            throw CertificateError(
                .wrongKeyUsage, "The key usage in the certificate of \(subject) does not allow \(name).")
        }
    }

    private func chainProblem(
        _ intermediates: [Certificate], _ trustedCAs: [Certificate], at unixSeconds: Int64
    ) throws(CryptographyError) -> CertificateError? {
        let store = try require(X509_STORE_new())
        defer { X509_STORE_free(store) }
        for authority in trustedCAs {
            try require(X509_STORE_add_cert(store, authority.handle.pointer), orThrow: .engineFailure)
        }
        // The stack borrows the certificates: it is freed, they are not.
        let untrusted = try require(OPENSSL_sk_new_null())
        defer { OPENSSL_sk_free(untrusted) }
        for certificate in intermediates {
            OPENSSL_sk_push(untrusted, UnsafeRawPointer(certificate.handle.pointer))
        }
        let context = try require(X509_STORE_CTX_new())
        defer { X509_STORE_CTX_free(context) }
        let status = X509_STORE_CTX_init(context, store, handle.pointer, untrusted)
        try require(status, orThrow: .engineFailure)
        let parameters = X509_STORE_CTX_get0_param(context)
        X509_VERIFY_PARAM_set_time(parameters, time_t(unixSeconds))
        X509_VERIFY_PARAM_set_auth_level(parameters, Self.authenticationLevel)
        guard X509_verify_cert(context) != 1 else { return nil }
        ERR_clear_error()
        return Self.problem(in: context)
    }

    /// OpenSSL's level of 112 bits of strength: RSA of 2048 bits, no SHA-1.
    private static let authenticationLevel: Int32 = 2

    private static func problem(in context: OpaquePointer) -> CertificateError {
        let reason = X509_STORE_CTX_get_error(context)
        let culprit = X509_STORE_CTX_get_current_cert(context).flatMap { certificate -> Certificate? in
            X509_up_ref(certificate)
            return try? Certificate(handle: X509Handle(owning: certificate))
        }
        let name = culprit?.subject ?? "an unnamed subject"
        switch reason {
        case X509_V_ERR_CERT_HAS_EXPIRED:
            return CertificateError(
                .expired, "The certificate of \(name) expired on \(UTCDate(culprit?.notAfter ?? 0)).")
        case X509_V_ERR_CERT_NOT_YET_VALID:
            return CertificateError(
                .notYetValid, "The certificate of \(name) is not valid before \(UTCDate(culprit?.notBefore ?? 0)).")
        case X509_V_ERR_EE_KEY_TOO_SMALL, X509_V_ERR_CA_KEY_TOO_SMALL:
            return CertificateError(.weakKey, "The key in the certificate of \(name) is too short.")
        case X509_V_ERR_CA_MD_TOO_WEAK:
            return CertificateError(
                .weakSignature, "The certificate of \(name) is signed with a broken hash such as SHA-1.")
        case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
            X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE, X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT,
            X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
            return CertificateError(
                .untrusted, "No chain leads from the certificate of \(name) to a trusted CA: \(text(of: reason)).")
        default:
            return CertificateError(.untrusted, "The certificate of \(name) is not trusted: \(text(of: reason)).")
        }
    }

    private static func text(of reason: Int32) -> String {
        X509_verify_cert_error_string(Int(reason)).map(String.init(cString:)) ?? "reason \(reason)"
    }
}
