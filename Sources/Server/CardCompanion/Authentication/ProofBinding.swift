internal import CardCompanionAPI
internal import CardCompanionModel
internal import Cryptography
internal import StrictJSON

/// What binds a proof to its request: the digest of the app's key, or of the sealed PIN (protocol, section 2.2.1). A proxy that
/// reads the request can then not replace that key or PIN.
struct ProofBinding: Sendable, Equatable {
    /// The SHA-256 in base64url, 43 characters.
    let text: String

    /// What a fetch's proof is bound to: the DER bytes of the app's key, which is sent in base64.
    init(toKey sent: String?) {
        text = Self.digest(sent.flatMap(Base64.decode) ?? [])
    }

    /// What a definition's proof is bound to: the characters of the JWE as they were sent.
    init(toSealed sent: String?) {
        text = Self.digest(Array((sent ?? "").utf8))
    }

    private static func digest(_ bytes: [UInt8]) -> String { Base64URL.encode(SHA256.hash(bytes)) }

    /// Whether a text can be a digest.
    static func hasForm(_ text: String) -> Bool { Base64URL.decode(text)?.count == SHA256.byteCount }

    /// What a text without that form is told.
    static let form = "must be a SHA-256 in base64url, 43 characters"

    /// What a refusal says of a proof that has no binding although the bank requires one.
    static let missing = "it is not bound to the app's key or sealed PIN, which this bank requires"
}

extension AuthenticationToken {
    /// Why the member Binding does not fit the request; nil if it does.
    func bindingFault(_ binding: ProofBinding, _ rule: ProofBindingRule) -> String? {
        guard members.kind(of: MemberName.binding) != nil else {
            return rule == .require ? ProofBinding.missing : nil
        }
        guard members.string(MemberName.binding)?.utf8.elementsEqual(binding.text.utf8) == true else {
            return "Binding is not the digest of this request's key or sealed PIN"
        }
        return nil
    }
}
