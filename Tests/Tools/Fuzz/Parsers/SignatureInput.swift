import HTTPSignatures
import HTTPTypes

/// The fields of RFC 9421 and RFC 9530, one per line: Signature-Input, Signature, Content-Digest, Host, and the request target.
enum SignatureInput {
    static func read(_ bytes: [UInt8]) {
        let lines = bytes.lines(atMost: 5)
        _ = try? ContentDigest(fieldValue: lines[2])
        let message = message(signatureInput: lines[0], signature: lines[1], lines)
        guard let fields = try? SignatureFields(message) else { return }
        for keyID in fields.keyIDs {
            guard let signature = try? fields.only(ofKeys: [keyID]) else { continue }
            requireOneForm(signature, lines)
            _ = try? SignatureBase.text(of: message, parameters: signature.parameters)
            for authority in ExpectedAuthority.oneOf(names).candidates(of: message) {
                _ = try? SignatureBase.text(of: authority, parameters: signature.parameters)
            }
        }
    }

    /// What was read is written as text that is read as the same. So signer and verifier mean the same.
    private static func requireOneForm(_ signature: MessageSignature, _ lines: [String]) {
        let again = message(
            signatureInput: "\(signature.label)=\(signature.parameters.text)", signature: "\(signature.label)=::", lines
        )
        let keyIDs = signature.parameters.keyID.map { [$0] } ?? []
        let read = try? SignatureFields(again).only(ofKeys: keyIDs)
        require(read?.parameters == signature.parameters, "the parameters that were written are read as others")
    }

    private static func message(signatureInput: String, signature: String, _ lines: [String]) -> SignedMessage {
        SignedMessage(
            method: "PUT", scheme: "https", authority: lines[3], target: lines[4],
            fields: [
                ("Signature-Input", signatureInput), ("Signature", signature), ("Content-Digest", lines[2]),
                ("Host", lines[3]),
            ])
    }

    private static let names = ["api.example.com", "pin.example.com:8443"].compactMap { Authority($0) }
}
