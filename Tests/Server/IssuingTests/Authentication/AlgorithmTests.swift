import PythonOracle
import ServerHarness
import Testing

/// Calls with valid signatures.
@Suite("Signature algorithms")
struct AlgorithmTests {
    @Test(
        "A call signed with any algorithm is accepted, with and without the parameter alg",
        arguments: TestIssuer.Algorithm.allCases)
    func algorithm(_ algorithm: TestIssuer.Algorithm) async throws {
        let service = try await Service.shared.value
        let backend = try await service.makeBackend(algorithm: algorithm)
        let holder = try await backend.created()
        for alg in [nil, algorithm.rawValue] {
            var call = IssuerCall("GET", backend.path(holder.uniqueId))
            call.alg = alg
            let answer = try await backend.server.call(call, by: backend.issuer)
            #expect(answer.status == 200, "\(answer.members)")
            #expect(answer.members["uniqueId"]?.string == holder.uniqueId)
        }
    }

    @Test(
        "A client with Python's http-message-signatures creates and reads a cardholder",
        .enabled(if: PythonOracle.isAvailable, Comment(rawValue: PythonOracle.absence)),
        arguments: TestIssuer.Algorithm.allCases)
    func python(_ algorithm: TestIssuer.Algorithm) async throws {
        let service = try await Service.shared.value
        let backend = try await service.makeBackend(algorithm: algorithm)
        let holder = TestCardholder(channels: ["TOKEN"])
        let oracle = PythonOracle(script: "../Oracles/issuer_client.py")
        var arguments = [
            "method": "PUT", "url": backend.server.url + backend.path(holder.uniqueId),
            "body": JSON.object(try holder.members(sealedTo: backend.key, of: backend.bank.id)).text,
            "keyid": backend.issuer.keyId, "algorithm": algorithm.rawValue,
            "privateKey": try backend.issuer.privateKeyText(),
        ]
        let created = try await oracle.ask("call", arguments)
        #expect(created["status"] == "201", "\(created)")
        arguments["method"] = "GET"
        arguments["body"] = ""
        let shown = try await oracle.ask("call", arguments)
        #expect(shown["status"] == "200", "\(shown)")
        #expect(shown["ETag"] == created["ETag"] && shown["ETag"]?.isEmpty == false)
        let members = try JSON(parsing: shown["body"] ?? "").object
        #expect(members?["uniqueId"]?.string == holder.uniqueId)
        #expect(members?["channels"] == ["TOKEN"])
        #expect(try await backend.fetch(holder).code == 0)
    }

    @Test("A call with several signatures is accepted if one is by the bank's key")
    func severalSignatures() async throws {
        let backend = try await Service.backend.value
        let holder = try await backend.created()
        let call = IssuerCall("GET", backend.path(holder.uniqueId))
        var fields = try call.signedFields(backend.issuer, for: backend.server)
        let proxy = #"proxy=("@authority" "x-secret";sf);created=1;keyid="the proxy's""#
        fields = fields.map { field in
            switch field.name {
            case "Signature-Input": (field.name, "\(proxy), \(field.value)")
            case "Signature": (field.name, "proxy=:AAAA:, \(field.value)")
            default: field
            }
        }
        let answer = try await backend.server.request("GET", call.path, headers: fields)
        #expect(answer.status == 200, "\(answer.members)")
    }
}
