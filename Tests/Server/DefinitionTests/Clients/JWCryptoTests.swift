import PythonOracle
import ServerHarness
import Testing

/// An app that uses jwcrypto, an independent implementation of JOSE.
@Suite("App with jwcrypto", .enabled(if: PythonOracle.isAvailable, Comment(rawValue: PythonOracle.absence)))
struct JWCryptoTests {
    @Test("A choice sealed by jwcrypto is accepted", arguments: DefinitionCall.definitions)
    func seals(call: DefinitionCall) async throws {
        let service = try await Service.shared.value
        let holder = try await service.holder()
        let oracle = PythonOracle(script: "../Oracles/jwcrypto_app.py")
        var attempt = try await service.defining("83052", call, holder)
        let plaintext = String(decoding: attempt.plaintext, as: UTF8.self)
        let keySet = try await service.server.request("GET", "/.well-known/jwks.json").body
        let sealed = try await oracle.ask(
            "seal",
            [
                "keySet": String(decoding: keySet, as: UTF8.self), "alg": call.sealing.algorithm,
                "plaintext": plaintext.padding(to: call == .indexes ? 64 : 16),
                "header": JSON.object(attempt.binding.members).text,
            ])
        attempt.members[call.choice] = .string(try #require(sealed["compact"]))
        #expect(try await service.code(attempt) == 0)
        #expect(try await service.fetch(holder).length == 5)
    }
}
