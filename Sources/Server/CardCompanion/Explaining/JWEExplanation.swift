internal import Cryptography
internal import JOSE
internal import StrictJSON

extension Explanation {
    /// Explains a sealed value (protocol, section 2.5). It checks everything that needs no private key.
    ///
    /// - Parameters:
    ///   - text: the JWE.
    ///   - keySet: the answer of `/.well-known/jwks.json`. If it is nil, `kid` is not checked.
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
            explanation.bad("parts", "must be 5 (was \(parts.count)) (200)")
        }
        explanation.check(text, keySet: keySet)
        return explanation
    }

    private mutating func check(_ text: String, keySet: [UInt8]?) {
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
        if jwe.header.algorithm == .ecdhESA256KW { check(jwe.header.ephemeralKey) }
        if jwe.encryptedKeyIsEmpty { bad("encrypted key", "empty (201)") }
        check(keyID: jwe.header.keyID, keySet: keySet)
    }

    private mutating func check(_ key: JWEHeader.EphemeralKey) {
        switch key {
        case .absent: bad("epk", "absent (107)")
        case .invalid: bad("epk", "must be a public key on P-256 (207)")
        case .key: good("epk", "a point on P-256")
        }
    }

    private mutating func check(keyID: String?, keySet: [UInt8]?) {
        guard let keyID else { return bad("kid", "absent: add the kid of the key that you used (200)") }
        guard let keySet else { return note("kid", keyID) }
        guard let set = try? JSONValue(parsing: keySet), case .array(let keys)? = set["keys"] else {
            return bad("key set", "must be a JWK set")
        }
        if keys.contains(where: { $0["kid"] == .string(keyID) }) {
            good("kid", "\(keyID), in the key set")
        } else {
            bad("kid", "\(keyID) is not in the key set: seal to a current key (200)")
        }
    }
}
