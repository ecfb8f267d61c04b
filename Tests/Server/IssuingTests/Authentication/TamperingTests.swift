import ServerHarness
import Testing

/// Calls that differ from what was signed, that are replayed, or that name another bank.
@Suite("Tampering and replay")
struct TamperingTests {
    /// A change of a call after it was signed.
    struct Alteration: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let detail: String
        let apply: @Sendable (inout IssuerCall) -> Void
    }

    static let mismatch = "The signature does not match"
    static let alterations: [Alteration] = [
        Alteration(testDescription: "method", detail: mismatch) { $0.method = "PATCH" },
        Alteration(testDescription: "path", detail: mismatch) { $0.path += "x" },
        Alteration(testDescription: "the path's encoding", detail: mismatch) {
            $0.path = $0.path.replacing("/holder-", with: "/%68older-")
        },
        Alteration(testDescription: "query", detail: mismatch) { $0.query = "?trace=2" },
        Alteration(testDescription: "no query", detail: mismatch) { $0.query = "" },
        Alteration(testDescription: "body", detail: "does not match its sha-256 digest") {
            $0.body = Array(#"{"status":"CLOSED"}"#.utf8)
        },
        Alteration(testDescription: "no body", detail: "does not match its sha-256 digest") { $0.body = [] },
    ]

    @Test("A call that was changed after signing is answered 401", arguments: alterations)
    func altered(_ alteration: Alteration) async throws {
        let backend = try await Service.backend.value
        let holder = try await backend.created()
        var sent = try call(backend, holder)
        let signed = sent
        let fields = try signed.signedFields(backend.issuer, for: backend.server)
        alteration.apply(&sent)
        let answer = try await backend.server.request(
            sent.method, sent.path + sent.query, headers: fields, body: sent.body)
        expectUnauthenticated(answer, alteration.detail)
        if alteration.detail == Self.mismatch {
            // The base is that of the received call, so that the caller can see which line differs.
            #expect(answer.members["signatureBase"]?.string == sent.signatureBase(backend.issuer, for: backend.server))
        }
        #expect(try await backend.get(holder.uniqueId).members["status"] == "ACTIVE")
    }

    @Test("A call whose body and digest were both replaced is answered 401")
    func bodyAndDigest() async throws {
        let backend = try await Service.backend.value
        let holder = try await backend.created()
        let signed = try call(backend, holder)
        var sent = signed
        sent.body = Array(#"{"status":"CLOSED"}"#.utf8)
        let fields = try signed.signedFields(backend.issuer, for: backend.server).map {
            $0.name == "Content-Digest" ? ($0.name, IssuerCall.contentDigest(sent.body)) : $0
        }
        let answer = try await backend.server.request("PUT", sent.path + sent.query, headers: fields, body: sent.body)
        expectUnauthenticated(answer, Self.mismatch)
        #expect(answer.members["signatureBase"]?.string == sent.signatureBase(backend.issuer, for: backend.server))
        #expect(try await backend.get(holder.uniqueId).members["status"] == "ACTIVE")
    }

    @Test("A call with an added query is answered 401")
    func addedQuery() async throws {
        let backend = try await Service.backend.value
        let holder = try await backend.created()
        let call = IssuerCall("GET", backend.path(holder.uniqueId))
        let answer = try await backend.server.request(
            "GET", call.path + "?", headers: call.signedFields(backend.issuer, for: backend.server))
        expectUnauthenticated(answer, "does not cover \"@query\"")
    }

    @Test("A call with an added body is answered 401")
    func addedBody() async throws {
        let backend = try await Service.backend.value
        let holder = try await backend.created()
        let call = IssuerCall("DELETE", backend.path(holder.uniqueId))
        let answer = try await backend.server.request(
            "DELETE", call.path, headers: call.signedFields(backend.issuer, for: backend.server), body: [0x7B, 0x7D])
        expectUnauthenticated(answer, "does not cover \"content-digest\"")
        #expect(try await backend.get(holder.uniqueId).status == 200)
    }

    @Test(
        "A condition that the signature does not cover is answered 401",
        arguments: [
            ("If-Match", "*"), ("If-None-Match", "*"), ("Idempotency-Key", "1"),
        ])
    func uncoveredCondition(name: String, value: String) async throws {
        let backend = try await Service.backend.value
        let holder = try await backend.created()
        var call = IssuerCall("DELETE", backend.path(holder.uniqueId))
        call.headers = [(name, value)]
        call.coversConditions = false
        expectUnauthenticated(
            try await backend.server.call(call, by: backend.issuer), "does not cover \"\(name.lowercased())\"")
        #expect(try await backend.get(holder.uniqueId).status == 200)
    }

    @Test("A nonce that was used before is answered 401, on every server")
    func nonce() async throws {
        let backend = try await Service.backend.value
        let holder = try await backend.created()
        let call = IssuerCall("GET", backend.path(holder.uniqueId))
        let servers = [backend.server, try await Service.second.value]
        #expect(try await servers[0].call(call, by: backend.issuer).status == 200)
        for server in servers {
            expectUnauthenticated(try await server.call(call, by: backend.issuer), "Sign the call again", kind: "nonce")
        }
    }

    @Test("Of simultaneous calls with one nonce on two servers, exactly one is accepted")
    func simultaneousNonces() async throws {
        let backend = try await Service.backend.value
        let holder = try await backend.created()
        let call = IssuerCall("GET", backend.path(holder.uniqueId))
        let servers = [backend.server, try await Service.second.value]
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for place in 0..<16 {
                group.addTask { try await servers[place % 2].call(call, by: backend.issuer).status }
            }
            return try await group.reduce(into: []) { $0.append($1) }.sorted()
        }
        #expect(statuses == [200] + Array(repeating: 401, count: 15))
    }

    @Test("A nonce is spent per key, and not by a call with a wrong signature")
    func unspentNonce() async throws {
        let service = try await Service.shared.value
        let backend = try await Service.backend.value
        let holder = try await backend.created()
        var call = IssuerCall("GET", backend.path(holder.uniqueId))
        let forger = try TestIssuer(bankId: backend.bank.id, keyId: backend.issuer.keyId)
        #expect(try await service.server.call(call, by: forger).status == 401)
        let second = try await service.installation.makeIssuer(for: backend.bank)
        #expect(try await service.server.call(call, by: second).status == 200)
        #expect(try await service.server.call(call, by: backend.issuer).status == 200)
        call.created -= 1
        expectUnauthenticated(try await service.server.call(call, by: second), "Sign the call again", kind: "nonce")
    }

    @Test("A call with another bank's key is answered 403")
    func otherBank() async throws {
        let service = try await Service.shared.value
        let backend = try await Service.backend.value
        let holder = try await backend.created()
        let other = try await service.makeBackend()
        let call = IssuerCall("GET", backend.path(holder.uniqueId))
        let answer = try await service.server.call(call, by: other.issuer)
        #expect(answer.status == 403 && answer.problem == "forbidden")
        #expect(answer.detail.contains("another bank"))
        let nowhere = IssuerCall("GET", "/v1/banks/nowhere/cardholders/x")
        #expect(try await service.server.call(nowhere, by: other.issuer).status == 403)
    }

    @Test("A call of a disabled bank is answered 403")
    func disabledBank() async throws {
        let service = try await Service.shared.value
        let backend = try await service.makeBackend()
        let holder = try await backend.created()
        try await service.installation.run(["bank", "set", backend.bank.id, "--status", "DISABLED"]).succeeded()
        let answer = try await backend.get(holder.uniqueId)
        #expect(answer.status == 403 && answer.problem == "forbidden")
        #expect(answer.detail.contains("disabled"))
    }

    private func call(_ backend: Backend, _ holder: TestCardholder) throws -> IssuerCall {
        let body = JSON.object(try holder.members(sealedTo: backend.key, of: backend.bank.id)).text
        var call = IssuerCall("PUT", backend.path(holder.uniqueId), query: "?trace=1", body: Array(body.utf8))
        call.headers = [("Content-Type", "application/json")]
        return call
    }
}
