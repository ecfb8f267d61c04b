import Cryptography
import HTTPSignatures
import HTTPTypes
import Testing

@Suite("Verifying signatures")
struct SignaturePolicyTests {
    private let now = Exchange.now

    @Test(
        "A request signed with any algorithm is accepted, with and without the parameter alg", arguments: TestKeys.all)
    func valid(key: SigningKey) throws {
        var exchange = Exchange(key: key)
        for algorithm in [nil, key.verificationKey.algorithm] {
            exchange.algorithm = algorithm
            let verified = try exchange.verify()
            #expect(verified.label == "sig1")
            #expect(verified.keyID == "k1")
            #expect(verified.nonce == "a nonce used once")
            #expect(verified.created == now)
            #expect(verified.components == exchange.components)
            try verified.contentDigest?.verify(exchange.body.bytes)
            #expect(verified.contentDigest != nil)
        }
    }

    @Test(
        "A signature is not valid for another key of the same algorithm, and the error has the signature base",
        arguments: TestKeys.all)
    func otherKey(key: SigningKey) throws {
        let other: VerificationKey =
            switch key {
            case .ecdsaP256SHA256: .ecdsaP256SHA256(try P256PrivateKey.generate().publicKey)
            case .ed25519: .ed25519(try Ed25519PrivateKey.generate().publicKey)
            case .rsaPSSSHA512: .rsaPSSSHA512(try RSAPrivateKey.generate(bits: 2048).publicKey)
            case .rsaPKCS1SHA256: .rsaPKCS1SHA256(try RSAPrivateKey.generate(bits: 2048).publicKey)
            case .hmacSHA256: .hmacSHA256(try TestKeys.hmacKey())
            }
        let exchange = Exchange(key: key)
        let error = refusal { try exchange.verify(with: other) }
        #expect(error?.reason == .signatureMismatch)
        #expect(
            error?.signatureBase == """
                "@method": PUT
                "@authority": api.example.com
                "@path": /v1/banks/b1/cardholders/c1
                "@query": ?dry=yes
                "content-digest": \(ContentDigest.fieldValue(for: exchange.body.bytes))
                "@signature-params": ("@method" "@authority" "@path" "@query" "content-digest");created=1800000000\
                ;nonce="a nonce used once";keyid="k1"
                """)
    }

    @Test("A key for another algorithm does not verify, with and without the parameter alg")
    func otherAlgorithm() throws {
        for (signing, key) in TestKeys.all.flatMap({ one in TestKeys.all.map { (one, $0.verificationKey) } }) {
            let stated = signing.verificationKey.algorithm
            guard stated != key.algorithm else { continue }
            var exchange = Exchange(key: signing)
            #expect(refusal { try exchange.verify(with: key) }?.reason == .signatureMismatch)
            exchange.algorithm = stated
            #expect(
                refusal { try exchange.verify(with: key) }?.reason
                    == .algorithmMismatch(stated: stated, ofKey: key.algorithm))
        }
    }

    @Test("A change of any covered component is detected")
    func alterations() throws {
        let list = try #require(HTTPField.Name("x-list"))
        let exchange = Exchange(components: [
            .method, .path, .query, .authority, .targetURI, .scheme, .requestTarget, .queryParameter("dry"),
            .field(.contentDigest), .field(.date), .field(list),
        ])
        _ = try exchange.verify()
        let alterations: [(String, (inout Exchange) -> Void)] = [
            ("method", { $0.method = "PATCH" }), ("case of the method", { $0.method = "put" }),
            ("path", { $0.target = "/v1/banks/b2/cardholders/c1?dry=yes" }),
            ("encoding of the path", { $0.target = "/v1/banks/b1/cardholders/%631?dry=yes" }),
            ("query", { $0.target = "/v1/banks/b1/cardholders/c1?dry=yes&a=b" }),
            ("scheme", { $0.scheme = "http" }), ("host", { $0.authority = "example.com" }),
            ("port", { $0.authority = "api.example.com:8443" }),
            ("digest", { $0.digest = ContentDigest.fieldValue(for: "{}".bytes) }),
            ("field", { $0.lines[0].1 = "Fri, 15 Jan 2027 08:00:01 GMT" }),
            ("order of a field's lines", { $0.lines.swapAt(1, 2) }),
            ("one more line of a field", { $0.lines.append(("X-List", "three")) }),
        ]
        for (name, alteration) in alterations {
            let error = refusal { try exchange.verify(received: alteration) }
            #expect(error?.reason == .signatureMismatch, "\(name)")
            #expect(error?.signatureBase != nil, "\(name)")
        }
        let removed = refusal { try exchange.verify { $0.lines.removeFirst() } }
        #expect(removed?.reason == .componentNotInMessage("\"date\""))
        // Components that are not covered can change.
        try Exchange().verify { ($0.lines, $0.scheme) = ([], "http") }
    }

    @Test("Altered parameters and another signature with the same label are detected")
    func alteredSignature() throws {
        let exchange = Exchange()
        let fields = try exchange.signatureFields()
        let (input, signature) = (fields[0].1, fields[1].1)
        let wrong = [
            input.replacing("1800000000", with: "1800000001"), input.replacing("used once", with: "used twice"),
            input.replacing(#"("@method" "@authority""#, with: #"("@authority" "@method""#),
            input.replacing(#";keyid="k1""#, with: "") + #";keyid="k1";tag="t""#, input + ";alg=\"ed25519\"",
            input.replacing("\"@query\"", with: "\"@query\" \"date\""),
        ]
        for input in wrong {
            let message = exchange.message([("Signature-Input", input), ("Signature", signature)])
            #expect(refusal { try verify(message, exchange) }?.reason == .signatureMismatch)
        }
        let zeros = "sig1=:\(Base64.encode([UInt8](repeating: 0, count: 64))):"
        for signature in ["sig1=::", "sig1=:AAAA:", zeros] {
            let message = exchange.message([("Signature-Input", input), ("Signature", signature)])
            #expect(refusal { try verify(message, exchange) }?.reason == .signatureMismatch)
        }
        // The label is not part of the signature.
        let relabelled = exchange.message([
            ("Signature-Input", "x" + input), ("Signature", "x" + signature),
        ])
        #expect(try verify(relabelled, exchange).label == "xsig1")
    }

    @Test(
        "Method, authority and path must be covered, the query if there is one, and the content digest if there is a body"
    )
    func coverage() throws {
        for component in Exchange().components {
            let components = Exchange().components.filter { $0 != component }
            let error = refusal { try Exchange(components: components).verify() }
            #expect(error?.reason == .componentNotCovered(component.description))
        }
        let target = "/v1/banks/b1/cardholders/c1"
        let components: [Component] = [.method, .authority, .path, .field(.contentDigest)]
        try Exchange(target: target, components: components).verify()
        let emptyQuery = Exchange(target: target + "?", components: components)
        #expect(refusal { try emptyQuery.verify() }?.reason == .componentNotCovered("\"@query\""))
        let verified = try Exchange(target: target, components: [.method, .authority, .path]).verify(hasBody: false)
        #expect(verified.contentDigest == nil)
        // Other components with the same information do not replace them.
        let noPath = Exchange(components: [.method, .authority, .targetURI, .requestTarget, .field(.contentDigest)])
        #expect(refusal { try noPath.verify() }?.reason == .componentNotCovered("\"@path\""))
        let host = try #require(HTTPField.Name("host"))
        let noAuthority = Exchange(
            lines: [("Host", "api.example.com")],
            components: [.method, .path, .targetURI, .query, .field(host), .field(.contentDigest)])
        #expect(refusal { try noAuthority.verify() }?.reason == .componentNotCovered("\"@authority\""))
        #expect(refusal { try Exchange(components: []).verify() }?.reason == .componentNotCovered("\"@method\""))
    }

    @Test("A policy can require more components, and other components of a response")
    func ownPolicy() throws {
        var policy = SignaturePolicy(authority: .asSent)
        policy.requiredComponents.append(.scheme)
        #expect(refusal { try Exchange().verify(policy: policy) }?.reason == .componentNotCovered("\"@scheme\""))
        policy.requiredComponents = [.status]
        let parameters = try SignatureParameters(components: [.status], created: now, nonce: "12345678", keyID: "k1")
        let (input, signature) = try TestKeys.ed25519.sign(
            SignedMessage(status: 200, fields: []), parameters: parameters)
        for (status, expected) in [(200, nil), (500, SignatureError.Reason.signatureMismatch)] {
            let response = SignedMessage(
                status: status, fields: [("Signature-Input", input), ("Signature", signature)])
            let received = try SignatureFields(response).only(ofKeys: ["k1"])
            let error = refusal {
                _ = try policy.verify(
                    received, of: response, hasBody: false, with: TestKeys.ed25519.verificationKey, now: now)
            }
            #expect(error?.reason == expected)
        }
    }

    @Test("created can differ from now by 300 seconds in both directions, but not by 301")
    func created() throws {
        for offset: Int64 in [-300, 0, 300] { try Exchange(created: now + offset).verify() }
        let old = refusal { try Exchange(created: now - 301).verify() }
        #expect(old?.reason == .tooOld(seconds: 301, toleranceSeconds: 300))
        #expect(
            old?.description
                == "The signature was created 301 seconds ago, more than the 300 allowed: check the sender's clock.")
        let new = refusal { try Exchange(created: now + 301).verify() }
        #expect(new?.reason == .tooNew(seconds: 301, toleranceSeconds: 300))
        for created: Int64 in [-999_999_999_999_999, 0] {
            let error = refusal { try Exchange(created: created).verify() }
            #expect(error?.reason == .tooOld(seconds: now - created, toleranceSeconds: 300))
        }
        let far = refusal { try Exchange(created: 999_999_999_999_999).verify() }
        #expect(far?.reason == .tooNew(seconds: 999_999_999_999_999 - now, toleranceSeconds: 300))
        var policy = SignaturePolicy(authority: .asSent)
        policy.createdToleranceSeconds = 10
        #expect(
            refusal { try Exchange(created: now - 11).verify(policy: policy) }?.reason
                == .tooOld(seconds: 11, toleranceSeconds: 10))
    }

    @Test("A signature is refused after its expires")
    func expires() throws {
        try Exchange(expires: now).verify()
        try Exchange(expires: now + 1).verify()
        #expect(refusal { try Exchange(expires: now - 1).verify() }?.reason == .expired(seconds: 1))
        // expires does not extend the tolerance of the policy.
        #expect(
            refusal { try Exchange(created: now - 301, expires: now + 1000).verify() }?.reason
                == .tooOld(seconds: 301, toleranceSeconds: 300))
    }

    @Test("created, nonce and keyid are required, and the nonce must have an allowed length")
    func parameters() throws {
        #expect(refusal { try Exchange(created: nil).verify() }?.reason == .missingParameter("created"))
        #expect(refusal { try Exchange(nonce: nil).verify() }?.reason == .missingParameter("nonce"))
        #expect(refusal { try Exchange(keyID: nil).verify() }?.reason == .unknownKey([]))
        #expect(refusal { try Exchange(keyID: "k2").verify() }?.reason == .unknownKey(["k2"]))
        for count in [8, 128] { try Exchange(nonce: String(repeating: "n", count: count)).verify() }
        for count in [0, 7, 129] {
            let error = refusal { try Exchange(nonce: String(repeating: "n", count: count)).verify() }
            #expect(
                error?.reason
                    == .invalidParameter("nonce", problem: "it has \(count) characters, but must have 8 to 128"))
        }
    }

    @Test("A covered Content-Digest must be well-formed, even if the signature is valid")
    func digest() throws {
        #expect(refusal { try Exchange(digest: "md5=:AAAA:").verify() }?.reason == .noSupportedDigest)
        #expect(
            refusal { try Exchange(digest: "sha-256=:AAAA:").verify() }?.reason
                == .malformedField("Content-Digest", problem: "sha-256 must have 32 bytes (has 3)"))
        #expect(
            refusal { try Exchange(digest: "nonsense nonsense").verify() }?.reason
                == .malformedField("Content-Digest", problem: "it must be a structured-field dictionary (RFC 9651)"))
    }

    @Test("The description of an invalid signature contains nothing of the message")
    func description() throws {
        let error = refusal { try Exchange().verify { $0.method = "PATCH" } }
        #expect(
            error.map { "\($0)" }
                == "The signature does not match: compare the signature base with the text that was signed, and check the key."
        )
    }

    @discardableResult
    private func verify(_ message: SignedMessage, _ exchange: Exchange) throws -> VerifiedSignature {
        try SignaturePolicy(authority: .asSent).verify(
            SignatureFields(message).only(ofKeys: ["k1"]), of: message, hasBody: true,
            with: exchange.key.verificationKey, now: now)
    }
}
