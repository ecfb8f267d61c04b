public import Cryptography
internal import RawStructuredFieldValues
internal import SecureMemory

/// What signatures are made with. A key is for one algorithm.
public enum SigningKey: Sendable {
    /// For ecdsa-p256-sha256.
    case ecdsaP256SHA256(P256PrivateKey)
    /// For ed25519.
    case ed25519(Ed25519PrivateKey)
    /// For rsa-pss-sha512.
    case rsaPSSSHA512(RSAPrivateKey)
    /// For rsa-v1_5-sha256.
    case rsaPKCS1SHA256(RSAPrivateKey)
    /// For hmac-sha256.
    case hmacSHA256(HMACKey)

    /// What this key's signatures are checked with.
    public var verificationKey: VerificationKey {
        switch self {
        case .ecdsaP256SHA256(let key): .ecdsaP256SHA256(key.publicKey)
        case .ed25519(let key): .ed25519(key.publicKey)
        case .rsaPSSSHA512(let key): .rsaPSSSHA512(key.publicKey)
        case .rsaPKCS1SHA256(let key): .rsaPKCS1SHA256(key.publicKey)
        case .hmacSHA256(let key): .hmacSHA256(key)
        }
    }

    /// The signature over a signature base; throws `signingFailed`.
    public func sign(_ base: String) throws(SignatureError) -> [UInt8] {
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

    /// Signs a message (RFC 9421 section 3.1). Throws what the signature base throws, `algorithmMismatch` where the
    /// parameters name another algorithm, and `invalidParameter` for a label that is no key of a structured field.
    ///
    /// - Returns: the values of the Signature-Input and of the Signature field.
    public func sign(
        _ message: SignedMessage, parameters: SignatureParameters, label: String = "sig1"
    ) throws(SignatureError) -> (signatureInput: String, signature: String) {
        let algorithm = verificationKey.algorithm
        if let stated = parameters.algorithm, stated != algorithm {
            throw SignatureError(.algorithmMismatch(stated: stated, ofKey: algorithm))
        }
        guard Self.isLabel(label) else {
            throw SignatureError(.invalidParameter("label", problem: "it is no key of a structured field"))
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
