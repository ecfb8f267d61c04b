import Cryptography
import HTTPSignatures
import HTTPTypes
import SecureMemory
import Testing

@Suite("Signing messages")
struct SigningTests {
    @Test("The fields are dictionaries with one member, with parameters in a fixed order")
    func fields() throws {
        let parameters = try SignatureParameters(
            components: [.method, .queryParameter("a\"b"), .field(.date)], created: 1, expires: 2,
            nonce: #"a "quoted\ nonce"#, keyID: "k", algorithm: .hmacSHA256, tag: "t")
        let message = SignedMessage(
            method: "POST", scheme: nil, authority: nil, target: "/?a%22b=1", fields: [("Date", "today")])
        #expect(
            parameters.text == """
                ("@method" "@query-param";name="a\\"b" "date");created=1;expires=2;nonce="a \\"quoted\\\\ nonce"\
                ;keyid="k";alg="hmac-sha256";tag="t"
                """)
        let key = SigningKey.hmacSHA256(try TestKeys.hmacKey())
        let error = refusal { _ = try key.sign(message, parameters: parameters) }
        #expect(error?.reason == .componentNotInMessage(#""@query-param";name="a\"b""#))
        let plain = try SignatureParameters(components: [.method], created: 1, keyID: "k")
        let (input, signature) = try key.sign(message, parameters: plain, label: "hook-1")
        #expect(input == #"hook-1=("@method");created=1;keyid="k""#)
        #expect(signature.hasPrefix("hook-1=:") && signature.hasSuffix("=:"))
    }

    @Test("Parameters that a structured field cannot represent are refused")
    func invalidParameters() throws {
        for text in ["é", "a\nb", "\u{7f}"] {
            #expect(throws: SignatureError.self) { try SignatureParameters(components: [], created: 1, keyID: text) }
            #expect(throws: SignatureError.self) {
                try SignatureParameters(components: [.queryParameter(text)], created: 1, keyID: "k")
            }
        }
        #expect(throws: SignatureError.self) {
            try SignatureParameters(components: [], created: 1_000_000_000_000_000, keyID: "k")
        }
        let twice = refusal { _ = try SignatureParameters(components: [.path, .path], created: 1, keyID: "k") }
        #expect(twice?.reason == .duplicateComponent("\"@path\""))
    }

    @Test(
        "A label that is not a structured-field key is refused", arguments: ["", "A", "1", "a b", "a,b", "a=1", "é"])
    func labels(label: String) throws {
        let parameters = try SignatureParameters(components: [], created: 1, keyID: "k")
        let error = refusal {
            _ = try TestKeys.ed25519.sign(
                SignedMessage(status: 200, fields: []), parameters: parameters, label: label)
        }
        #expect(error?.reason == .invalidParameter("label", problem: "it must be a structured-field key, such as sig1"))
    }

    @Test("A key does not sign with the name of another algorithm")
    func algorithm() throws {
        let parameters = try SignatureParameters(
            components: [], created: 1, keyID: "k", algorithm: .ecdsaP256SHA256)
        let error = refusal {
            _ = try TestKeys.ed25519.sign(SignedMessage(status: 200, fields: []), parameters: parameters)
        }
        #expect(error?.reason == .algorithmMismatch(stated: .ecdsaP256SHA256, ofKey: .ed25519))
    }
}

@Suite("Signature keys")
struct KeyTests {
    @Test("Public keys are read from DER and PEM, only for their own algorithm", arguments: TestKeys.all)
    func publicKeys(key: SigningKey) throws {
        let verificationKey = key.verificationKey
        guard let der = verificationKey.subjectPublicKeyInfo else {
            #expect(verificationKey.algorithm == .hmacSHA256)
            return
        }
        let pem = "-----BEGIN PUBLIC KEY-----\n\(Base64.encode(der))\n-----END PUBLIC KEY-----\n"
        let signature = try key.sign("base")
        let isRSA = [.rsaPSSSHA512, .rsaPKCS1SHA256].contains(verificationKey.algorithm)
        for algorithm in SignatureAlgorithm.allCases {
            let fits = algorithm == verificationKey.algorithm
            guard fits || (isRSA && [.rsaPSSSHA512, .rsaPKCS1SHA256].contains(algorithm)) else {
                let fromDER = refusal { _ = try VerificationKey(algorithm, subjectPublicKeyInfo: der) }
                let fromPEM = refusal { _ = try VerificationKey(algorithm, pem: pem.bytes) }
                #expect(fromDER?.reason == .invalidKey(algorithm))
                #expect(fromPEM?.reason == .invalidKey(algorithm))
                continue
            }
            for read in [
                try VerificationKey(algorithm, subjectPublicKeyInfo: der),
                try VerificationKey(algorithm, pem: pem.bytes),
            ] {
                #expect(read.algorithm == algorithm)
                #expect(read.isValid(signature, over: "base") == fits)
                #expect(read.subjectPublicKeyInfo == der)
            }
        }
    }

    @Test("A shared secret has 32 to 1024 bytes")
    func secrets() throws {
        for count in [32, 64, 1024] { _ = try HMACKey(SecureRandom.secret(count: count)) }
        for count in [0, 16, 31, 1025] {
            #expect(
                refusal { _ = try HMACKey(SecureRandom.secret(count: count)) }?.reason == .invalidKey(.hmacSHA256))
        }
    }
}
