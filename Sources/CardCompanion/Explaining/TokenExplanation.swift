internal import CardCompanionAPI
internal import CardCompanionStore
internal import Cryptography
package import SecureMemory
internal import StrictJSON

extension Explanation {
    /// Explains a token and its signature (protocol, section 2.2).
    ///
    /// - Parameters:
    ///   - token: the very bytes that the request's `token` stands for.
    ///   - signature: base64; nil looks at the token only.
    ///   - certificate: PEM of the certificate, or of the public key; nil leaves the signature unchecked.
    package static func token(
        _ token: consuming SecretBytes, signature: String?, certificate: [UInt8]?, now: Int64, toleranceSeconds: Int
    ) -> Explanation {
        var explanation = Explanation()
        explanation.note("signed bytes", "\(token.count) bytes, SHA-256 \(Hex.encode(SHA256.hash(token)))")
        let endsWithLineBreak = token.withBytes { $0.last == UInt8(ascii: "\n") }
        if endsWithLineBreak {
            explanation.note("signed bytes", "they end with a line break: is it in the request's token as well?")
        }
        let signed = SharedSecret(token.copy())
        do throws(JSONError) {
            explanation.judge(try JSONText(token), now: now, toleranceSeconds: toleranceSeconds)
        } catch {
            explanation.bad("token", "not one strict JSON object: \(error) (208)")
        }
        explanation.judge(signature, over: signed, certificate: certificate, now: now)
        return explanation
    }

    private mutating func judge(_ token: borrowing JSONText, now: Int64, toleranceSeconds: Int) {
        good("token", "one strict JSON object")
        for name in [MemberName.idBEL, MemberName.idPorteur, MemberName.idFournisseur, MemberName.idTransaction] {
            if token.isMissing(name) {
                bad(name, "missing")
            } else {
                judgeIdentifier(name, token.string(name))
            }
        }
        if token.isMissing(MemberName.tokenTimestamp) {
            bad(MemberName.tokenTimestamp, "missing (103, 120)")
        } else {
            let sent = token.text(of: MemberName.tokenTimestamp) ?? ""
            judge(RequestTimestamp(sent), sent: sent, now: now, toleranceSeconds: toleranceSeconds)
        }
        switch token.text(of: MemberName.tokenType).flatMap(TokenType.init(text:)) {
        case .delivery?: note(MemberName.tokenType, "delivery of a PIN")
        case .reminder?: note(MemberName.tokenType, "reminder of a PIN")
        case .definition?: note(MemberName.tokenType, "definition of a PIN")
        case nil: bad(MemberName.tokenType, "not one of 0, 00, 1, 01, 2, 02 (209)")
        }
        let alias = token.isMissing(MemberName.signatureCertAlias) ? nil : token.string(MemberName.signatureCertAlias)
        note(MemberName.signatureCertAlias, alias ?? "absent: the bank's default certificate verifies")
        let hasCode = !token.isMissing(MemberName.authenticationCode)
        note(MemberName.authenticationCode, hasCode ? "present, not shown" : "absent: a PCI-CPP bank answers 102")
    }

    private mutating func judge(
        _ signature: String?, over signed: SharedSecret, certificate: [UInt8]?, now: Int64
    ) {
        guard let signature else { return note("signature", "none given") }
        guard let bytes = Base64.decode(signature) else {
            let isURLSafe = Base64URL.decode(signature) != nil
            return bad("signature", "not standard base64 with padding (206)" + (isURLSafe ? ": it is base64url" : ""))
        }
        guard let certificate else {
            return note("signature", "\(bytes.count) bytes; without the certificate no more can be said")
        }
        guard let key = signingKey(certificate, now: now) else { return }
        judge(bytes, over: signed, key)
    }

    private mutating func signingKey(_ pem: [UInt8], now: Int64) -> RSAPublicKey? {
        guard let certificate = try? Certificate(pem: pem), let key = certificate.rsaPublicKey else {
            bad("certificate", "the file holds no certificate with an RSA key")
            return nil
        }
        let isValid = certificate.notBefore <= now && now <= certificate.notAfter
        let text = "\(certificate.subject), RSA of \(key.modulusBits) bits"
        if isValid { good("certificate", text) } else { bad("certificate", "\(text), outside its validity (206)") }
        return key
    }

    private mutating func judge(_ signature: [UInt8], over signed: SharedSecret, _ key: RSAPublicKey) {
        if key.isValidPKCS1SHA256(signature: signature, for: signed.bytes) { return good("signature", "valid") }
        guard signature.count * 8 == key.modulusBits else {
            return bad(
                "signature",
                "\(signature.count) bytes; a key of \(key.modulusBits) bits makes "
                    + "\(key.modulusBits / 8) (206): another key")
        }
        let withLineBreak = signed.bytes.withBytes { Array($0) + [UInt8(ascii: "\n")] }
        let withoutLineBreak = signed.bytes.withBytes { Array($0.dropLast()) }
        let mistakes: [(text: String, made: Bool)] = [
            (
                "it is over the token with a line break at its end",
                key.isValidPKCS1SHA256(signature: signature, for: withLineBreak)
            ),
            (
                "it is over the token without its last character",
                key.isValidPKCS1SHA256(signature: signature, for: withoutLineBreak)
            ),
            (
                "it is over the SHA-256 of the token: the digest was made twice",
                key.isValidPKCS1SHA256(signature: signature, for: SHA256.hash(signed.bytes))
            ),
            ("it is RSA-PSS, not PKCS#1 v1.5", key.isValidPSSSHA512(signature: signature, for: signed.bytes)),
        ]
        let mistake = mistakes.first(where: \.made)?.text ?? "another key, or other bytes: was the token changed?"
        bad("signature", "does not verify (206): \(mistake)")
    }
}
