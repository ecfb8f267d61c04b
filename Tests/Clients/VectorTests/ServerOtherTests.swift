import CardCompanionAPI
import Cryptography
import Foundation
import JOSE
import SecureMemory
import StrictJSON
import Testing

@Suite("MAC, token and thumbprint vectors: server modules")
struct ServerOtherTests {
    @Test("Each hashMac matches its vector", arguments: try MACVectors.file.get().hashMacs)
    func hashMac(_ vector: MACVectors.HashMac) {
        let message = Array((vector.bankId + vector.uniqueId + vector.timestamp).utf8)
        #expect(message == vector.message.bytes)
        let code = HMACSHA256.authenticationCode(for: message, key: vector.key.bytes)
        #expect(Hex.encode(code) == vector.hashMac)
    }

    @Test(
        "Each notify hash matches its vector", arguments: try MACVectors.file.get().notifyHashes)
    func notifyHash(_ vector: MACVectors.NotifyHash) throws {
        let (bankId, uniqueId) = try vector.token.map(holder) ?? (vector.bankId, vector.uniqueId)
        let message = "\(bankId ?? "")\(uniqueId ?? "")\(vector.sessionId)\(vector.status)"
        #expect(Array(message.utf8) == vector.message.bytes)
        let code = HMACSHA256.authenticationCode(for: Array(message.utf8), key: vector.notifyKey.bytes)
        #expect(Hex.encode(code) == vector.hash)
    }

    private func holder(of token: String) throws -> (String?, String?) {
        let members = try JSONText(SecretBytes(copying: Array(token.utf8)))
        return (members.text(of: MemberName.idBEL), members.text(of: MemberName.idPorteur))
    }

    @Test("Each key check value matches its vector", arguments: try MACVectors.file.get().keyCheckValues)
    func keyCheckValue(_ vector: MACVectors.KeyCheckValue) {
        let code = HMACSHA256.authenticationCode(for: [UInt8](), key: vector.key.bytes)
        #expect(Hex.encode(code) == vector.hmacOfNothing)
        #expect(Hex.encode(Array(code.prefix(3))).uppercased() == vector.keyCheckValue)
    }

    @Test("Each token's signature verifies and is reproduced", arguments: try TokenVectors.file.get().vectors)
    func token(_ vector: TokenVectors.Token) throws {
        let key = try TokenVectors.file.get().keys.named(vector.key).serverRSA()
        let token = Array(vector.token.utf8)
        #expect(SHA256.hash(token) == vector.sha256.bytes)
        let signature = try #require(Base64.decode(vector.signature))
        #expect(signature == vector.signatureOctets.bytes)
        #expect(key.publicKey.isValidPKCS1SHA256(signature: signature, for: token))
        #expect(try key.signPKCS1SHA256(token) == signature)
        let members = try JSONText(SecretBytes(copying: token))
        let alias = members.text(of: MemberName.signatureCertAlias) ?? ""
        #expect((alias.isEmpty ? "bank-default" : alias) == vector.key)
    }

    @Test("Each thumbprint matches its vector", arguments: try ThumbprintVectors.file.get().vectors)
    func thumbprint(_ vector: ThumbprintVectors.Thumbprint) throws {
        let members = try ["x", "y", "n", "e"].map { name in
            try vector.jwk[name].map { try #require(Base64URL.decode($0)) }
        }
        let key: JWK.PublicKey =
            if let x = members[0], let y = members[1] {
                .ec(try P256PublicKey(x: x, y: y))
            } else {
                .rsa(try RSAPublicKey(modulus: #require(members[2]), exponent: #require(members[3])))
            }
        #expect(JWK.thumbprint(of: key) == vector.thumbprint)
        #expect(SHA256.hash(Array(vector.hashedText.utf8)) == vector.sha256.bytes)
        #expect(Base64URL.encode(vector.sha256.bytes) == vector.thumbprint)
    }

    @Test(
        "publicKey, thumbprint and pem of a key vector belong to the same key",
        arguments: try TokenVectors.file.get().keys.all
            + NegativeVectors.file.get().keys.all)
    func keys(_ key: KeyVector) throws {
        let publicKey: JWK.PublicKey =
            key.jwk["kty"] == "RSA" ? .rsa(try key.serverRSA().publicKey) : .ec(try key.serverP256().publicKey)
        let info =
            switch publicKey {
            case .rsa(let key): key.subjectPublicKeyInfo
            case .ec(let key): key.subjectPublicKeyInfo
            }
        #expect(Base64.encode(info) == key.publicKey)
        #expect(JWK.thumbprint(of: publicKey) == key.thumbprint)
    }
}
