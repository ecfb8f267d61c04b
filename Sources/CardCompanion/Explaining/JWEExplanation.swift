internal import Cryptography
internal import JOSE
internal import StrictJSON

extension Explanation {
    /// Explains a sealed value (protocol, section 2.5), as far as no private key is needed.
    ///
    /// - Parameters:
    ///   - text: the JWE.
    ///   - keySet: what `/.well-known/jwks.json` answers; nil leaves `kid` unchecked.
    package static func jwe(_ text: String, keySet: [UInt8]?) -> Explanation {
        var explanation = Explanation()
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        if let header = parts.first.map(String.init).flatMap(Base64URL.decode) {
            explanation.note("header", String(decoding: header.prefix(500), as: UTF8.self))
        }
        if parts.count == 5 {
            let names = ["header", "encrypted key", "iv", "ciphertext", "tag"]
            let sizes = zip(names, parts).map { name, part in
                "\(name) \(Base64URL.decode(String(part)).map { "\($0.count)" } ?? "not base64url")"
            }
            explanation.note("parts in bytes", sizes.joined(separator: ", "))
        } else {
            explanation.bad("parts", "\(parts.count), not five (200)")
        }
        explanation.judge(text, keySet: keySet)
        return explanation
    }

    private mutating func judge(_ text: String, keySet: [UInt8]?) {
        let jwe: JWE
        do throws(JOSEError) {
            jwe = try JWE(compact: text)
        } catch {
            return bad("form", "\(error) (200)")
        }
        switch jwe.header.algorithm {
        case .rsaOAEP256: good("alg", "RSA-OAEP-256: for pin-definition/pin and for provisioning")
        case .ecdhESA256KW: good("alg", "ECDH-ES+A256KW: for the token operations and for provisioning")
        }
        if jwe.header.algorithm == .ecdhESA256KW { judge(jwe.header.ephemeralKey) }
        if jwe.encryptedKeyIsEmpty { bad("encrypted key", "empty (201)") }
        judge(keyID: jwe.header.keyID, keySet: keySet)
    }

    private mutating func judge(_ key: JWEHeader.EphemeralKey) {
        switch key {
        case .absent: bad("epk", "absent (107)")
        case .invalid: bad("epk", "not a public key on P-256 (207)")
        case .key: good("epk", "a point on P-256")
        }
    }

    private mutating func judge(keyID: String?, keySet: [UInt8]?) {
        guard let keyID else { return bad("kid", "absent: the server does not try its keys one by one (200)") }
        guard let keySet else { return note("kid", keyID) }
        guard let set = try? JSONValue(parsing: keySet), case .array(let keys)? = set["keys"] else {
            return bad("key set", "not a JWK set")
        }
        if keys.contains(where: { $0["kid"] == .string(keyID) }) {
            good("kid", "\(keyID), one of the server's")
        } else {
            bad("kid", "\(keyID) is none of the server's: an old key set? (200)")
        }
    }
}
