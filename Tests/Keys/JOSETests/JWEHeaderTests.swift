import Cryptography
import JOSE
import Testing

@Suite("Strict reading of JWEs")
struct JWEHeaderTests {
    private static let point = #"{"kty":"EC","crv":"P-256","x":"\#(xText)","y":"\#(yText)"}"#
    private static let xText = Base64URL.encode(Keys.p256.publicKey.x)
    private static let yText = Base64URL.encode(Keys.p256.publicKey.y)
    private static let zeros = String(repeating: "A", count: 43)

    private func failure(ofHeader header: String) -> JOSEError.Code? {
        JOSETests.failure { () throws(JOSEError) in _ = try JWE(compact: HandmadeJWE(header: header).compact) }
    }

    private func failure(ofText text: String) -> JOSEError.Code? {
        JOSETests.failure { () throws(JOSEError) in _ = try JWE(compact: text) }
    }

    @Test("Every known parameter is read")
    func allParameters() throws {
        let header = """
            {"typ":"JOSE","cty":"text/plain","alg":"ECDH-ES+A256KW","enc":"A256GCM","kid":"k\\u00e9y",
            "apu":"QWxpY2U","apv":"Qm9i","epk":\(Self.point)}
            """
        let jwe = try JWE(compact: HandmadeJWE(header: header).compact)
        #expect(jwe.header.algorithm == .ecdhESA256KW)
        #expect(jwe.header.keyID == "kéy")
        #expect(jwe.header.ephemeralKey == .key(Keys.p256.publicKey))
        #expect(jwe.header.partyUInfo == "Alice".bytes)
        #expect(jwe.header.partyVInfo == "Bob".bytes)
        #expect(!jwe.encryptedKeyIsEmpty)
    }

    @Test("Optional parameters can be absent")
    func fewestParameters() throws {
        var handmade = HandmadeJWE(header: #"{"alg":"RSA-OAEP-256","enc":"A256GCM"}"#)
        handmade.encryptedKey = []
        let jwe = try JWE(compact: handmade.compact)
        #expect(jwe.header.algorithm == .rsaOAEP256)
        #expect(jwe.header.keyID == nil)
        #expect(jwe.header.ephemeralKey == .absent)
        #expect(jwe.header.partyUInfo.isEmpty && jwe.header.partyVInfo.isEmpty)
        #expect(jwe.encryptedKeyIsEmpty)
    }

    @Test(
        "Other key management algorithms are not supported",
        arguments: [
            "none", "dir", "RSA1_5", "RSA-OAEP", "RSA-OAEP-384", "RSA-OAEP-512", "ECDH-ES", "ECDH-ES+A128KW",
            "ECDH-ES+A192KW", "A256KW", "A256GCMKW", "PBES2-HS256+A128KW", "HS256", "rsa-oaep-256", " RSA-OAEP-256", "",
        ])
    func algorithms(name: String) {
        #expect(failure(ofHeader: #"{"alg":"\#(name)","enc":"A256GCM"}"#) == .unsupportedAlgorithm)
    }

    @Test(
        "Other content encryptions are not supported",
        arguments: ["A128GCM", "A192GCM", "A128CBC-HS256", "A256CBC-HS512", "a256gcm", "none", "XC20P", ""])
    func encryptions(name: String) {
        #expect(failure(ofHeader: #"{"alg":"RSA-OAEP-256","enc":"\#(name)"}"#) == .unsupportedEncryption)
    }

    @Test(
        "An unknown parameter is refused, whatever its value",
        arguments: [
            #""crit":["exp"]"#, #""crit":[]"#, #""crit":null"#, #""zip":"DEF""#, #""jwk":{}"#, #""jku":"https://a""#,
            #""x5c":[]"#, #""x5u":"https://a""#, #""x5t":"a""#, #""b64":false"#, #""p2c":1"#, #""iv":"a""#,
            #""tag":"a""#,
            #""Alg":"none""#, #""alg ":"none""#, #""":1"#,
        ])
    func unknownParameters(parameter: String) {
        #expect(failure(ofHeader: #"{"alg":"RSA-OAEP-256","enc":"A256GCM",\#(parameter)}"#) == .unknownHeaderParameter)
    }

    @Test(
        "A header that is not strict JSON, or lacks a parameter or has one of another type, is malformed",
        arguments: [
            "", "null", "[]", "\"alg\"", "{", "{}", #"{"alg":"RSA-OAEP-256"}"#, #"{"enc":"A256GCM"}"#,
            #"{"alg":"none","alg":"RSA-OAEP-256","enc":"A256GCM"}"#,
            #"{"alg":"RSA-OAEP-256","alg":"RSA-OAEP-256","enc":"A256GCM"}"#,
            #"{"alg":"RSA-OAEP-256","\u0061lg":"none","enc":"A256GCM"}"#,
            #"{"alg":"RSA-OAEP-256","enc":"A256GCM","epk":{"x":"a","x":"b"}}"#,
            #"{"alg":"RSA-OAEP-256","enc":"A256GCM"}{}"#, #"{"alg":"RSA-OAEP-256","enc":"A256GCM",}"#,
            "\u{feff}{\"alg\":\"RSA-OAEP-256\",\"enc\":\"A256GCM\"}",
            #"{"alg":null,"enc":"A256GCM"}"#, #"{"alg":["RSA-OAEP-256"],"enc":"A256GCM"}"#,
            #"{"alg":"RSA-OAEP-256","enc":1}"#, #"{"alg":"RSA-OAEP-256","enc":"A256GCM","kid":1}"#,
            #"{"alg":"RSA-OAEP-256","enc":"A256GCM","kid":null}"#,
            #"{"alg":"RSA-OAEP-256","enc":"A256GCM","typ":1}"#, #"{"alg":"RSA-OAEP-256","enc":"A256GCM","cty":{}}"#,
            #"{"alg":"RSA-OAEP-256","enc":"A256GCM","apu":1}"#, #"{"alg":"RSA-OAEP-256","enc":"A256GCM","apu":"QQ=="}"#,
            #"{"alg":"RSA-OAEP-256","enc":"A256GCM","apv":"A"}"#,
            #"{"alg":"RSA-OAEP-256","enc":"A256GCM","apv":"Qm9j!"}"#,
        ])
    func malformedHeaders(header: String) {
        #expect(failure(ofHeader: header) == .malformed)
    }

    @Test("Text that is not five parts of strict base64url is malformed")
    func malformedText() {
        let whole = HandmadeJWE(header: #"{"alg":"RSA-OAEP-256","enc":"A256GCM"}"#).compact
        #expect(failure(ofText: whole) == nil)
        let parts = whole.split(separator: ".")
        let wrong: [String] = [
            "", ".", "....", whole + ".", "." + whole, parts.dropLast().joined(separator: "."), whole + "\n",
            " " + whole,
            whole + "=", whole.replacing(".", with: ".."), whole.replacing(".", with: ","),
            parts.joined(separator: ". "),
            #"{"protected":"a","encrypted_key":"b","iv":"c","ciphertext":"d","tag":"e"}"#,
        ]
        for text in wrong {
            #expect(failure(ofText: text) == .malformed, "\(text)")
        }
        for index in parts.indices {
            var other = parts.map(String.init)
            other[index] += "!"
            #expect(failure(ofText: other.joined(separator: ".")) == .malformed)
        }
    }

    @Test("A JWE with a nonce or a tag of another length is malformed", arguments: [0, 1, 8, 11, 13, 15, 17, 24])
    func lengths(count: Int) {
        var handmade = HandmadeJWE(header: #"{"alg":"RSA-OAEP-256","enc":"A256GCM"}"#)
        handmade.nonce = [UInt8](repeating: 0, count: count)
        #expect(failure(ofText: handmade.compact) == .malformed)
        handmade = HandmadeJWE(header: #"{"alg":"RSA-OAEP-256","enc":"A256GCM"}"#)
        handmade.tag = [UInt8](repeating: 0, count: count)
        #expect(failure(ofText: handmade.compact) == .malformed)
    }

    @Test("A header or a text above its limit is too long; at its limit it is accepted")
    func limits() {
        func header(kidLength: Int) -> String {
            #"{"alg":"RSA-OAEP-256","enc":"A256GCM","kid":"\#(String(repeating: "k", count: kidLength))"}"#
        }
        let longest = JWE.headerByteCountLimit * 3 / 4 - header(kidLength: 0).utf8.count
        #expect(failure(ofHeader: header(kidLength: longest)) == nil)
        #expect(failure(ofHeader: header(kidLength: longest + 1)) == .tooLong)
        #expect(failure(ofText: String(repeating: "a", count: JWE.byteCountLimit + 1)) == .tooLong)
        #expect(failure(ofText: String(repeating: ".", count: JWE.byteCountLimit)) == .malformed)
        let text = HandmadeJWE(header: header(kidLength: 1)).compact
        let count = text.utf8.count
        let atLimit = JOSETests.failure { () throws(JOSEError) in _ = try JWE(compact: text, byteCountLimit: count) }
        #expect(atLimit == nil)
        let above = JOSETests.failure { () throws(JOSEError) in _ = try JWE(compact: text, byteCountLimit: count - 1) }
        #expect(above == .tooLong)
    }

    @Test(
        "An epk that is not a public key on P-256 is invalid",
        arguments: [
            "null", "1", "\"a\"", "[]", "{}", #"{"kty":"EC","crv":"P-256"}"#,
            point.replacing(#""EC""#, with: #""RSA""#), point.replacing(#""EC""#, with: #""OKP""#),
            point.replacing("P-256", with: "P-384"), point.replacing("P-256", with: "secp256k1"),
            point.replacing("P-256", with: "p-256"), point.replacing(#""kty":"EC","#, with: ""),
            point.replacing(#""crv":"P-256","#, with: ""), point.replacing(xText, with: yText),
            point.replacing(xText, with: zeros), point.replacing(xText, with: zeros).replacing(yText, with: zeros),
            point.replacing(xText, with: ""), point.replacing(xText, with: String(xText.dropLast(2))),
            point.replacing(xText, with: xText + "="), point.replacing(xText, with: "AA" + xText),
            point.replacing("}", with: #","d":"\#(zeros)"}"#),
        ])
    func invalidEphemeralKeys(epk: String) throws {
        let header = #"{"alg":"ECDH-ES+A256KW","enc":"A256GCM","epk":\#(epk)}"#
        #expect(try JWE(compact: HandmadeJWE(header: header).compact).header.ephemeralKey == .invalid)
        let compact = HandmadeJWE(header: header).compact
        #expect(failure(ofExpecting: .ecdhESA256KW, compact) == .invalidEphemeralKey)
    }

    @Test("An epk can have other members")
    func ephemeralKeyWithMore() throws {
        let epk = Self.point.replacing("}", with: #","use":"enc","kid":"a"}"#)
        let header = #"{"alg":"ECDH-ES+A256KW","enc":"A256GCM","epk":\#(epk)}"#
        #expect(
            try JWE(compact: HandmadeJWE(header: header).compact).header.ephemeralKey == .key(Keys.p256.publicKey))
    }

    // MARK: With the algorithm that the caller expects

    @Test("If there are several errors, the first in the documented order is thrown")
    func orderOfFaults() {
        let bad = #""alg":"none","enc":"none","zip":"DEF""#
        func failure(_ header: String, encryptedKey: [UInt8] = [1]) -> JOSEError.Code? {
            var handmade = HandmadeJWE(header: header)
            handmade.encryptedKey = encryptedKey
            return self.failure(ofExpecting: .ecdhESA256KW, handmade.compact)
        }
        #expect(failure("{\(bad)}", encryptedKey: []) == .missingEphemeralKey)
        #expect(failure(#"{\#(bad),"epk":{}}"#, encryptedKey: []) == .emptyEncryptedKey)
        #expect(failure(#"{\#(bad),"epk":{}}"#) == .invalidEphemeralKey)
        #expect(failure(#"{\#(bad),"epk":\#(Self.point)}"#) == .unknownHeaderParameter)
        #expect(failure(#"{"alg":"none","enc":"none","epk":\#(Self.point)}"#) == .unsupportedAlgorithm)
        #expect(failure(#"{"alg":"ECDH-ES+A256KW","enc":"none","epk":\#(Self.point)}"#) == .unsupportedEncryption)
        #expect(failure(#"{"alg":"RSA-OAEP-256","enc":"A256GCM","epk":\#(Self.point)}"#) == .unsupportedAlgorithm)
        #expect(failure(#"{"alg":"ECDH-ES+A256KW","enc":"A256GCM","epk":\#(Self.point)}"#) == nil)
    }

    @Test("With RSA-OAEP-256 expected, a missing epk is accepted and an empty encrypted key is refused")
    func expectingRSA() {
        var handmade = HandmadeJWE(header: #"{"alg":"RSA-OAEP-256","enc":"A256GCM"}"#)
        #expect(failure(ofExpecting: .rsaOAEP256, handmade.compact) == nil)
        handmade.encryptedKey = []
        #expect(failure(ofExpecting: .rsaOAEP256, handmade.compact) == .emptyEncryptedKey)
        handmade = HandmadeJWE(header: #"{"alg":"ECDH-ES+A256KW","enc":"A256GCM","epk":\#(Self.point)}"#)
        #expect(failure(ofExpecting: .rsaOAEP256, handmade.compact) == .unsupportedAlgorithm)
    }

    private func failure(ofExpecting algorithm: JWEHeader.Algorithm, _ text: String) -> JOSEError.Code? {
        JOSETests.failure { () throws(JOSEError) in _ = try JWE(compact: text, for: algorithm) }
    }
}
