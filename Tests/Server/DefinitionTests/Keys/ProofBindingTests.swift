import ServerHarness
import Testing

/// A hashMac or token that the bank's back-end has bound to the sealed choice (protocol, section 2.2.1).
@Suite("Proofs that are bound to the sealed PIN")
struct ProofBindingTests {
    @Test("A bound proof defines a PIN, whether the bank accepts or requires it", arguments: ["accept", "require"])
    func bound(rule: String) async throws {
        let service = try await Service.shared.value
        let bank = try await bank(rule, service)
        let holder = try await service.holder(of: bank)
        for call in DefinitionCall.definitions {
            var attempt = try await service.defining("8305", call, holder, of: bank)
            attempt.proof = .choice
            #expect(try await service.code(attempt) == 0, "\(call)")
        }
        #expect(try await service.row("pin_serial", of: holder) == "4")
    }

    @Test(
        "A proxy that replaces the sealed PIN defines none, and spends nothing",
        arguments: DefinitionCall.definitions, ["accept", "require"])
    func replaced(call: DefinitionCall, rule: String) async throws {
        let service = try await Service.shared.value
        let bank = try await bank(rule, service)
        let holder = try await service.holder(of: bank)
        var attempt = try await service.defining("8305", call, holder, of: bank)
        attempt.proof = .choice
        let sent = try attempt.body()
        // The proxy seals its own PIN for the same request. It can do all but sign.
        var forged = sent
        forged[call.choice] = try attempt.body()[call.choice]
        let refused = try await service.server.post(call.path, forged)
        #expect(refused.code == (call == .hmac ? 141 : 206))
        #expect(try await service.row("pin_serial", of: holder) == "1")
        #expect(try await service.server.post(call.path, sent).code == 0)
    }

    @Test("Where the bank requires it, an unbound proof is refused and told so", arguments: DefinitionCall.definitions)
    func unbound(call: DefinitionCall) async throws {
        let service = try await Service.shared.value
        let bank = try await bank("require", service)
        let holder = try await service.holder(of: bank)
        var attempt = try await service.defining("8305", call, holder, of: bank)
        let refused = try await service.send(attempt)
        #expect(refused.code == (call == .hmac ? 141 : 206))
        #expect(refused.message?.contains("not bound to the app's key or sealed PIN") == true)
        attempt.proof = .choice
        #expect(try await service.code(attempt) == 0, "nothing was spent")
    }

    /// Values of the member Binding, or of what a hashMac is bound to, that are not the digest of the sealed choice.
    static let wrongBindings: [JSON] = [
        .null, "", .integer(7), true, ["a"], .string(BoundTo.digest([1])), .string(BoundTo.digest([1]) + "="),
        .string(String(BoundTo.digest([1]).dropLast())),
    ]

    @Test("A token whose Binding is anything but the right digest is answered 206", arguments: wrongBindings)
    func wrong(binding: JSON) async throws {
        let service = try await Service.shared.value
        let holder = try await service.holder()
        for call in DefinitionCall.byToken {
            var attempt = try await service.defining("8305", call, holder)
            attempt.proof = .text(binding)
            let refused = try await service.send(attempt)
            #expect(refused.code == 206, "\(call)")
            #expect(refused.message?.contains("Binding") == true)
            attempt.proof = .nothing
            #expect(try await service.code(attempt) == 0, "the token was not spent")
        }
    }

    @Test("A hashMac that is bound to something else is answered 141")
    func wrongHashMac() async throws {
        let service = try await Service.shared.value
        let holder = try await service.holder()
        for binding in Self.wrongBindings.filter({ $0.string != nil }) {
            var attempt = try service.attempt(.hmac, holder)
            attempt.proof = .text(binding)
            #expect(try await service.code(attempt) == 141, "\(binding)")
        }
    }

    @Test("A binding is judged after the signature and before the time window")
    func order() async throws {
        let service = try await Service.shared.value
        let holder = try await service.holder()
        for call in DefinitionCall.byToken {
            var attempt = try await service.defining("8305", call, holder)
            attempt.proof = .text(.string(BoundTo.digest([1])))
            attempt.timestamp = .string("\(TestBank.timestamp(-3600))")
            #expect(try await service.code(attempt) == 206)
            attempt.members["signature"] = "AAAA"
            let unsigned = try await service.send(attempt)
            #expect(unsigned.code == 206)
            #expect(unsigned.message?.contains("Binding") == false, "nobody but the bank learns of the binding")
        }
    }

    private func bank(_ rule: String, _ service: Service) async throws -> TestBank {
        try await service.installation.makeBank(Service.freeSettings + ["--bindings", rule])
    }
}
