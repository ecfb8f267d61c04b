package import Cryptography
internal import RawStructuredFieldValues
internal import SecureMemory

/// A key that makes signatures, for one algorithm.
package enum SigningKey: Sendable {
    case ecdsaP256SHA256(P256PrivateKey)
    case ed25519(Ed25519PrivateKey)
    /// For rsa-pss-sha512.
    case rsaPSSSHA512(RSAPrivateKey)
    /// For rsa-v1_5-sha256.
    case rsaPKCS1SHA256(RSAPrivateKey)
    case hmacSHA256(HMACKey)

    /// The key that verifies this key's signatures.
    package var verificationKey: VerificationKey {
        switch self {
        case .ecdsaP256SHA256(let key): .ecdsaP256SHA256(key.publicKey)
        case .ed25519(let key): .ed25519(key.publicKey)
        case .rsaPSSSHA512(let key): .rsaPSSSHA512(key.publicKey)
        case .rsaPKCS1SHA256(let key): .rsaPKCS1SHA256(key.publicKey)
        case .hmacSHA256(let key): .hmacSHA256(key)
        }
    }

    /// Signs a signature base.
    ///
    /// - Throws: `signingFailed`.
    package func sign(_ base: String) throws(SignatureError) -> [UInt8] {
        let base = Array(base.utf8)
        do throws(CryptographyError) {
            return switch self {
            case .ecdsaP256SHA256(let key): try key.signECDSASHA256(base)
            case .ed25519(let key): try key.sign(base)
            case .rsaPSSSHA512(let key): try key.signPSSSHA512(base)
            case .rsaPKCS1SHA256(let key): try key.signPKCS1SHA256(base)
            case .hmacSHA256(let key): HMACSHA256.authenticationCode(for: base, key: key.secret.bytes)
            }
        } catch {
            throw SignatureError(.signingFailed)
        }
    }

    /// Signs a message (RFC 9421 section 3.1).
    ///
    /// - Throws: the errors of ``SignatureBase/text(of:parameters:)``, `algorithmMismatch` if the parameters name another
    ///   algorithm, `invalidParameter` if the label is not a valid key of a structured field, `signingFailed`.
    /// - Returns: the values of the Signature-Input and the Signature field.
    package func sign(
        _ message: SignedMessage, parameters: SignatureParameters, label: String = "sig1"
    ) throws(SignatureError) -> (signatureInput: String, signature: String) {
        let algorithm = verificationKey.algorithm
        if let stated = parameters.algorithm, stated != algorithm {
            throw SignatureError(.algorithmMismatch(stated: stated, ofKey: algorithm))
        }
        guard Self.isLabel(label) else {
            throw SignatureError(.invalidParameter("label", problem: "it must be a structured-field key, such as sig1"))
        }
        let signature = try sign(SignatureBase.text(of: message, parameters: parameters))
        return ("\(label)=\(parameters.text)", "\(label)=:\(Base64.encode(signature)):")
    }

    private static func isLabel(_ label: String) -> Bool {
        var parser = StructuredFieldValueParser(Array(label.utf8))
        guard let members = try? parser.parseDictionaryFieldValue() else { return false }
        return members.count == 1 && members.first?.0 == label
    }
}
