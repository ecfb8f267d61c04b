package import CardCompanionModel
internal import Cryptography
internal import StrictJSON

extension AuditSealRecord {
    /// The seal as others keep it, in JSON: at `/.well-known/audit-seal`, and in the event `audit.sealed`.
    package var witness: String {
        String(
            json: JSONWriter.object { seal in
                seal.add("number", number)
                seal.add("epoch", Int64(epoch))
                seal.add("sealedAt", sealedAt.seconds)
                seal.add("hash", Hex.encode(hash))
                seal.add("keyId", keyId)
                seal.add("signature", base64URL: signature)
            })
    }
}
