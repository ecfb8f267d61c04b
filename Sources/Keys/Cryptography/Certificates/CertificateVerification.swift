internal import COpenSSL

extension Certificate {
    /// The smallest RSA key in a certificate for signatures or encryption, in bits.
    package static let smallestSigningKeyBits = 2048

    /// The intended use of the certificate's key.
    package enum Use: Sendable {
        /// To verify the holder's signatures, with RSA.
        case signature
        /// To encrypt values for the holder, with RSA.
        case encryption
        /// To authenticate the holder as a TLS client, with any type of key.
        case clientAuthentication
    }

    /// Checks that this certificate can be used for a purpose at a given time:
    /// - It has an RSA key of at least 2048 bits (for TLS clients, any key of 112 bits of strength).
    /// - It is not a CA certificate.
    /// - Its key usage, if it has one, allows the use.
    /// - It has a chain to one of `trustedCAs` (RFC 5280 section 6) without SHA-1, MD5 or shorter keys.
    ///
    /// Whether its CA has revoked it is checked with ``requireNotRevoked(by:)``.
    ///
    /// - Parameters:
    ///   - use: the purpose.
    ///   - intermediates: certificates that can connect this one with a trusted CA, in any order.
    ///   - trustedCAs: the roots.
    ///   - unixSeconds: the time.
    /// - Throws: the first check that failed.
    package func verify(
        for use: Use = .signature, chain intermediates: [Certificate], trustedCAs: [Certificate], at unixSeconds: Int64
    ) throws(CertificateError) {
        if use != .clientAuthentication { try verifyRSAKey() }
        try verifyUsage(use)
        let problem: CertificateError?
        do {
            problem = try chainProblem(intermediates, trustedCAs, at: unixSeconds)
        } catch {
            problem = CertificateError(.malformed, "Cannot check the certificate of \(subject): \(error).")
        }
        if let problem { throw problem }
    }

    /// Checks that its CA has not revoked it.
    ///
    /// - Parameter list: a verified CRL.
    /// - Throws: `revoked`; `untrusted` if the list is by another CA.
    package func requireNotRevoked(by list: RevocationList) throws(CertificateError) {
        guard list.isIssuer(of: self) else {
            throw CertificateError(
                .untrusted,
                "The CRL is by \(list.issuer), but \(issuer) issued the certificate of \(subject): get the CRL of that CA."
            )
        }
        guard !list.revokes(self) else {
            throw CertificateError(.revoked, "Its CA has revoked the certificate of \(subject): get a new certificate.")
        }
    }

    private func verifyRSAKey() throws(CertificateError) {
        guard let key = handle.publicKey() else {
            throw CertificateError(.malformed, "Cannot read the public key in the certificate of \(subject).")
        }
        guard key.isOfType(.rsa) else {
            throw CertificateError(.notRSA, "The certificate of \(subject) must have an RSA key.")
        }
        guard key.bits >= Self.smallestSigningKeyBits else {
            throw CertificateError(
                .weakKey,
                "The RSA key in the certificate of \(subject) must have at least \(Self.smallestSigningKeyBits) bits "
                    + "(has \(key.bits)).")
        }
        guard rsaPublicKey != nil else {
            throw CertificateError(.malformed, "The RSA key in the certificate of \(subject) is not valid.")
        }
    }

    private func verifyUsage(_ use: Use) throws(CertificateError) {
        guard !handle.isCA else {
            throw CertificateError(
                .isCA, "The certificate of \(subject) is a CA certificate: use an end-entity certificate.")
        }
        let (isAllowed, name) =
            use == .encryption
            ? (handle.allowsKeyEncipherment, "keyEncipherment") : (handle.allowsDigitalSignature, "digitalSignature")
        guard isAllowed else {
            throw CertificateError(
                .wrongKeyUsage, "The key usage in the certificate of \(subject) must include \(name).")
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
        // The stack does not own the certificates: only the stack is freed.
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

    /// OpenSSL's security level 2: 112 bits of strength, RSA keys of at least 2048 bits, no SHA-1.
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
                .expired, "The certificate of \(name) expired on \(UTCDate(culprit?.notAfter ?? 0)): renew it.")
        case X509_V_ERR_CERT_NOT_YET_VALID:
            return CertificateError(
                .notYetValid,
                "The certificate of \(name) is not valid before \(UTCDate(culprit?.notBefore ?? 0)): wait, or check the "
                    + "clock.")
        case X509_V_ERR_EE_KEY_TOO_SMALL, X509_V_ERR_CA_KEY_TOO_SMALL:
            return CertificateError(
                .weakKey, "The key in the certificate of \(name) is too short: RSA needs at least 2048 bits.")
        case X509_V_ERR_CA_MD_TOO_WEAK:
            return CertificateError(
                .weakSignature,
                "The certificate of \(name) is signed with a broken hash such as SHA-1: it must be signed with SHA-256 "
                    + "or better.")
        case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
            X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE, X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT,
            X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
            return CertificateError(
                .untrusted,
                "The certificate of \(name) has no chain to a trusted CA (\(text(of: reason))): add the missing "
                    + "intermediate certificate, or trust its CA.")
        default:
            return CertificateError(.untrusted, "The certificate of \(name) is not trusted: \(text(of: reason)).")
        }
    }

    private static func text(of reason: Int32) -> String {
        X509_verify_cert_error_string(Int(reason)).map(String.init(cString:)) ?? "reason \(reason)"
    }
}
