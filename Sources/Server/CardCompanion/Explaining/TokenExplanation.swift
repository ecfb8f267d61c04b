internal import CardCompanionAPI
internal import CardCompanionModel
internal import Cryptography
package import SecureMemory
package import StrictJSON

extension Explanation {
    /// Explains a token and its signature (protocol, section 2.2).
    ///
    /// - Parameters:
    ///   - token: the exact bytes of the request's `token`, not escaped.
    ///   - signature: base64. If it is nil, only the token is checked.
    ///   - certificate: PEM. If it is nil, the signature is not verified.
    ///   - binding: the digest of the request's key or sealed PIN. If it is nil, Binding is not compared.
    package static func token(
        _ token: consuming SecretBytes, signature: String?, certificate: [UInt8]?, now: Int64, binding: String? = nil,
        toleranceSeconds: Int
    ) -> Explanation {
        var explanation = Explanation()
        explanation.note("signed bytes", "\(token.count) bytes, SHA-256 \(Hex.encode(SHA256.hash(token)))")
        let endsWithLineBreak = token.withBytes { $0.last == UInt8(ascii: "\n") }
        if endsWithLineBreak {
            explanation.note("signed bytes", "end with a line break: the request's token must have it too")
        }
        let signed = SharedSecret(token.copy())
        do throws(JSONError) {
            explanation.check(
                try JSONText(token), now: now, binding: binding, toleranceSeconds: toleranceSeconds)
        } catch {
            explanation.bad("token", "must be one strict JSON object: \(error) (208)")
        }
        explanation.check(signature, over: signed, certificate: certificate, now: now)
        return explanation
    }

    private mutating func check(
        _ token: borrowing JSONText, now: Int64, binding: String?, toleranceSeconds: Int
    ) {
        good("token", "one strict JSON object")
        for name in [MemberName.idBEL, MemberName.idPorteur, MemberName.idFournisseur, MemberName.idTransaction] {
            if token.isMissing(name) {
                bad(name, "missing")
            } else {
                checkIdentifier(name, token.string(name))
            }
        }
        if token.isMissing(MemberName.tokenTimestamp) {
            bad(MemberName.tokenTimestamp, "missing (103, 120)")
        } else {
            let sent = token.text(of: MemberName.tokenTimestamp) ?? ""
            check(RequestTimestamp(sent), sent: sent, now: now, toleranceSeconds: toleranceSeconds)
        }
        switch token.text(of: MemberName.tokenType).flatMap(TokenType.init(text:)) {
        case .delivery?: note(MemberName.tokenType, "delivery of a PIN")
        case .reminder?: note(MemberName.tokenType, "reminder of a PIN")
        case .definition?: note(MemberName.tokenType, "definition of a PIN")
        case nil: bad(MemberName.tokenType, "must be one of 0, 00, 1, 01, 2, 02 (209)")
        }
        let alias = token.isMissing(MemberName.signatureCertAlias) ? nil : token.string(MemberName.signatureCertAlias)
        note(MemberName.signatureCertAlias, alias ?? "absent: the server uses the bank's default certificate")
        let hasCode = !token.isMissing(MemberName.authenticationCode)
        note(MemberName.authenticationCode, hasCode ? "present, not shown" : "absent: a PCI-CPP bank answers 102")
        check(binding, of: token)
    }

    private mutating func check(_ right: String?, of token: borrowing JSONText) {
        let name = MemberName.binding
        guard token.kind(of: name) != nil else {
            return note(name, "absent: the token is not bound to the app's key or sealed PIN")
        }
        guard let binding = token.string(name), ProofBinding.hasForm(binding) else {
            return bad(name, "\(ProofBinding.form) (206)")
        }
        guard let right else {
            return note(name, "\(binding): it must be the digest of the request's key or sealed PIN")
        }
        if binding.utf8.elementsEqual(right.utf8) {
            good(name, "the digest of the request's key or sealed PIN")
        } else {
            bad(name, "not the digest of the request's key or sealed PIN, which is \(right) (206)")
        }
    }

    /// What a request's proof can be bound to: the digest of its key or of its sealed PIN; nil if it has neither.
    package static func binding(of request: borrowing JSONText) -> String? {
        for name in [MemberName.rsaPublicKey, MemberName.ecdhPublicKey] {
            if let key = request.string(name) { return ProofBinding(toKey: key).text }
        }
        for name in [MemberName.pin, MemberName.indexes] {
            if let sealed = request.string(name) { return ProofBinding(toSealed: sealed).text }
        }
        return nil
    }

    private mutating func check(
        _ signature: String?, over signed: SharedSecret, certificate: [UInt8]?, now: Int64
    ) {
        guard let signature else { return note("signature", "not checked: provide it (--signature-file)") }
        guard let bytes = Base64.decode(signature) else {
            let isURLSafe = Base64URL.decode(signature) != nil
            return bad("signature", "must be standard base64 with padding (206)" + (isURLSafe ? ", not base64url" : ""))
        }
        guard let certificate else {
            return note("signature", "\(bytes.count) bytes; not verified: provide the certificate (--certificate)")
        }
        guard let key = signingKey(certificate, now: now) else { return }
        check(bytes, over: signed, key)
    }

    private mutating func signingKey(_ pem: [UInt8], now: Int64) -> RSAPublicKey? {
        guard let certificate = try? Certificate(pem: pem), let key = certificate.rsaPublicKey else {
            bad("certificate", "the file must contain a certificate with an RSA key")
            return nil
        }
        let isValid = certificate.notBefore <= now && now <= certificate.notAfter
        let text = "\(certificate.subject), RSA of \(key.modulusBits) bits"
        if isValid { good("certificate", text) } else { bad("certificate", "\(text), expired or not yet valid (206)") }
        return key
    }

    private mutating func check(_ signature: [UInt8], over signed: SharedSecret, _ key: RSAPublicKey) {
        if key.isValidPKCS1SHA256(signature: signature, for: signed.bytes) { return good("signature", "valid") }
        guard signature.count * 8 == key.modulusBits else {
            return bad(
                "signature",
                "\(signature.count) bytes, but this key makes \(key.modulusBits / 8): another key was used (206)")
        }
        let withLineBreak = signed.bytes.withBytes { Array($0) + [UInt8(ascii: "\n")] }
        let withoutLineBreak = signed.bytes.withBytes { Array($0.dropLast()) }
        let mistakes: [(text: String, made: Bool)] = [
            (
                "the bank signed the token with a line break at the end",
                key.isValidPKCS1SHA256(signature: signature, for: withLineBreak)
            ),
            (
                "the bank signed the token without its last character",
                key.isValidPKCS1SHA256(signature: signature, for: withoutLineBreak)
            ),
            (
                "the bank hashed the token twice",
                key.isValidPKCS1SHA256(signature: signature, for: SHA256.hash(signed.bytes))
            ),
            ("the bank used RSA-PSS, not PKCS#1 v1.5", key.isValidPSSSHA512(signature: signature, for: signed.bytes)),
        ]
        let mistake = mistakes.first(where: \.made)?.text ?? "another key, or the token was changed"
        bad("signature", "does not verify (206): \(mistake)")
    }
}
