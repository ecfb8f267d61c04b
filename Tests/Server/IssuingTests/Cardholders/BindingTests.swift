import ServerHarness
import Testing

/// A sealed PIN or code names the bank and the cardholder that it is for (protocol, section 2.5).
@Suite("Binding of provisioned values")
struct BindingTests {
    @Test("A sealed PIN or code of another cardholder, bank or purpose is refused", arguments: ["bound", "any"])
    func wrong(rule: String) async throws {
        let backend = try await backend(rule)
        let id = Unique.name("holder")
        for (member, other) in [("pin", "authenticationCode"), ("authenticationCode", "pin")] {
            let bindings = [
                ("sub", SealedBinding(member, bankId: backend.bank.id, uniqueId: "other")),
                ("iss", SealedBinding(member, bankId: "other", uniqueId: id)),
                ("cty", SealedBinding(other, bankId: backend.bank.id, uniqueId: id)),
                ("cty", SealedBinding("indexes", bankId: backend.bank.id, uniqueId: id)),
                ("jti", SealedBinding(member, bankId: backend.bank.id, uniqueId: id, requestId: "1")),
                ("keypadId", SealedBinding(member, bankId: backend.bank.id, uniqueId: id, keypadId: "1")),
            ]
            for (name, binding) in bindings {
                let sealed = JSON.string(try backend.key.seal(Array("491783".utf8), binding))
                let answer = try await backend.put(id, [member: sealed])
                #expect(answer.status == 422, "\(member), \(name)")
                #expect(answer.invalid.map(\.member) == [member])
                #expect(answer.invalid.allSatisfy { $0.reason.contains(name) })
                let line = JSON.object(["uniqueId": .string(id), member: sealed]).text
                #expect(try await backend.importLines(line).results.map(\.result) == ["refused"])
            }
        }
        #expect(try await backend.get(id).status == 404)
    }

    @Test("A sealed value that names nothing is refused, unless the bank takes any", arguments: ["bound", "any"])
    func absent(rule: String) async throws {
        let backend = try await backend(rule)
        for member in ["pin", "authenticationCode"] {
            let sealed = JSON.string(try backend.key.seal(Array("491783".utf8), nil))
            let answer = try await backend.put(Unique.name("holder"), [member: sealed])
            #expect(answer.status == (rule == "bound" ? 422 : 201))
        }
    }

    private func backend(_ rule: String) async throws -> Backend {
        try await Service.shared.value.makeBackend(["--sealed-values", rule])
    }
}
