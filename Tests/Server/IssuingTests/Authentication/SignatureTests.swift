import ServerHarness
import Testing

/// A fault in a call's signature, and the server's message for it.
struct SignatureFault: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// Text that the problem's detail must contain.
    let detail: String
    let apply: @Sendable (inout IssuerCall) -> Void

    init(_ name: String, _ detail: String, apply: @escaping @Sendable (inout IssuerCall) -> Void) {
        testDescription = name
        self.detail = detail
        self.apply = apply
    }

    static let parameters: [SignatureFault] = [
        .init("an unknown key", "No signature uses a known key (keyid nobody)") { $0.keyId = "nobody" },
        .init("no keyid", "No signature has the parameter keyid") { $0.leftOut = ["keyid"] },
        .init("another algorithm", "The parameter alg is rsa-pss-sha512, but the key is for ed25519") {
            $0.alg = "rsa-pss-sha512"
        },
        .init("an unknown algorithm", "parameter alg is invalid: none is not supported") { $0.alg = "none" },
        .init("no created", "no parameter created") { $0.leftOut = ["created"] },
        .init("created too long ago", "seconds ago, more than the 300 allowed") {
            $0.created = TestBank.timestamp(-400)
        },
        .init("created in the future", "seconds from now, more than the 300 allowed") {
            $0.created = TestBank.timestamp(400)
        },
        .init("no nonce", "no parameter nonce") { $0.nonce = nil },
        .init("a short nonce", "parameter nonce is invalid: it has 7 characters") { $0.nonce = "1234567" },
        .init("a long nonce", "parameter nonce is invalid: it has 129 characters") {
            $0.nonce = String(repeating: "n", count: 129)
        },
    ]

    static let coverage: [SignatureFault] = [
        "@method", "@authority", "@path", "@query", "content-digest",
    ].map { component in
        .init("\(component) not covered", "does not cover \"\(component)\"") {
            $0.components.removeAll { $0 == component }
        }
    }

    static let digests: [SignatureFault] = [
        .init("no digest", "does not have the component \"content-digest\"") { $0.digest = .none },
        .init("another body's digest", "does not match its sha-256 digest") {
            $0.digest = .value(IssuerCall.contentDigest(Array("{}".utf8)))
        },
        .init("a digest of another algorithm", "no digest with sha-256") {
            $0.digest = .value("md5=:1B2M2Y8AsgTpgAmY7PhCfg==:")
        },
        .init("a digest of the wrong length", "Content-Digest field is malformed: sha-256 must have 32 bytes") {
            $0.digest = .value("sha-256=:AAAA:")
        },
        .init("a malformed digest", "Content-Digest field is malformed") { $0.digest = .value("sha-256=AAAA") },
    ]
}

/// Calls with an invalid signature are answered 401 with the reason, and have no effect.
@Suite("Invalid signatures")
struct SignatureTests {
    @Test(
        "A call with a fault is answered 401, and the detail names the failed check",
        arguments: SignatureFault.parameters + SignatureFault.coverage + SignatureFault.digests)
    func fault(_ fault: SignatureFault) async throws {
        let backend = try await Service.backend.value
        var call = try call(backend)
        fault.apply(&call)
        let answer = try await backend.server.call(call, by: backend.issuer)
        expectUnauthenticated(answer, fault.detail)
        #expect(answer.members["signatureBase"] == nil)
        try await expectNothingDone(call, backend)
    }

    @Test("The same call without a fault is accepted")
    func control() async throws {
        let backend = try await Service.backend.value
        #expect(try await backend.server.call(call(backend), by: backend.issuer).status == 201)
    }

    @Test("A call whose created is four minutes in the past or future is accepted", arguments: [-240, 240])
    func createdInTime(away: Int) async throws {
        let backend = try await Service.backend.value
        var call = try call(backend)
        call.created += away
        #expect(try await backend.server.call(call, by: backend.issuer).status == 201)
    }

    @Test("The response to a wrong signature contains the server's signature base")
    func wrongSignature() async throws {
        let backend = try await Service.backend.value
        var call = try call(backend)
        call.headers.append(("Date", "Tue, 01 Jan 2030 00:00:00 GMT"))
        call.components.append("date")
        let other = try TestIssuer(bankId: backend.bank.id, keyId: backend.issuer.keyId)
        let answer = try await backend.server.call(call, by: other)
        expectUnauthenticated(answer, "The signature does not match")
        #expect(answer.members["signatureBase"]?.string == call.signatureBase(backend.issuer, for: backend.server))
        try await expectNothingDone(call, backend)
    }

    @Test(
        "An empty, short or zero signature is answered 401 for each algorithm",
        arguments: TestIssuer.Algorithm.allCases)
    func spoiledSignature(_ algorithm: TestIssuer.Algorithm) async throws {
        let backend = try await Service.shared.value.makeBackend(algorithm: algorithm)
        let call = try call(backend)
        let fields = try call.signedFields(backend.issuer, for: backend.server)
        let signed = try #require(fields.last?.value)
        let zeros = "sig=:\(String(repeating: "A", count: signed.count - 8))==:"
        for spoiled in ["sig=::", "sig=:AAAA:", zeros] {
            let answer = try await backend.server.request(
                "PUT", call.path + call.query, headers: fields.dropLast() + [("Signature", spoiled)], body: call.body)
            expectUnauthenticated(answer, "The signature does not match")
            #expect(answer.members["signatureBase"]?.string == call.signatureBase(backend.issuer, for: backend.server))
        }
        try await expectNothingDone(call, backend)
    }

    @Test("A call without Signature or Signature-Input is answered 401, and the detail names the missing field")
    func unsigned() async throws {
        let backend = try await Service.backend.value
        let call = try call(backend)
        let fields = try call.signedFields(backend.issuer, for: backend.server)
        for (left, detail) in [
            (["Signature-Input", "Signature"], "The Signature-Input field is missing: add it."),
            (["Signature-Input"], "The Signature-Input field is missing: add it."),
            (["Signature"], "The Signature field is missing: add it."),
        ] {
            let answer = try await backend.server.request(
                "PUT", call.path + call.query, headers: fields.filter { !left.contains($0.name) }, body: call.body)
            expectUnauthenticated(answer, detail)
        }
        try await expectNothingDone(call, backend)
    }

    @Test("An unsigned call is answered 401 on every method", arguments: ["GET", "HEAD", "PUT", "PATCH", "DELETE"])
    func everyMethod(method: String) async throws {
        let backend = try await Service.backend.value
        let holder = try await backend.created()
        let isBodyless = method != "PUT" && method != "PATCH"
        let type = method == "PATCH" ? "application/merge-patch+json" : "application/json"
        let answer = try await backend.server.request(
            method, backend.path(holder.uniqueId), headers: isBodyless ? [] : [("Content-Type", type)],
            body: isBodyless ? [] : Array(#"{"status":"CLOSED"}"#.utf8))
        #expect(answer.status == 401)
        #expect(try await backend.get(holder.uniqueId).members["status"] == "ACTIVE")
    }

    @Test("A call with a disabled key is answered 401, until the key is enabled")
    func disabledKey() async throws {
        let service = try await Service.shared.value
        let backend = try await service.makeBackend()
        let key = ["--bank", backend.bank.id, backend.issuer.keyId]
        try await service.installation.run(["issuer-key", "disable"] + key).succeeded()
        let call = try call(backend)
        expectUnauthenticated(
            try await backend.server.call(call, by: backend.issuer), "The key \(backend.issuer.keyId) is disabled.")
        try await service.installation.run(["issuer-key", "enable"] + key).succeeded()
        try await expectNothingDone(call, backend)
    }

    private func call(_ backend: Backend) throws -> IssuerCall {
        let holder = TestCardholder()
        let body = JSON.object(try holder.members(sealedTo: backend.key, of: backend.bank.id)).text
        var call = IssuerCall("PUT", backend.path(holder.uniqueId), query: "?trace=1", body: Array(body.utf8))
        call.headers = [("Content-Type", "application/json")]
        return call
    }

    private func expectNothingDone(_ call: IssuerCall, _ backend: Backend) async throws {
        let shown = try await backend.server.call(IssuerCall("GET", call.path), by: backend.issuer)
        #expect(shown.status == 404)
    }
}

/// Checks that a response is 401 and that its detail contains a text.
func expectUnauthenticated(
    _ answer: HTTPAnswer, _ detail: String, kind: String = "signature",
    sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(answer.status == 401, sourceLocation: sourceLocation)
    #expect(answer.problem == kind, sourceLocation: sourceLocation)
    #expect(answer["WWW-Authenticate"]?.hasPrefix("Signature") == true, sourceLocation: sourceLocation)
    #expect(answer.detail.contains(detail), "\(answer.detail)", sourceLocation: sourceLocation)
}
