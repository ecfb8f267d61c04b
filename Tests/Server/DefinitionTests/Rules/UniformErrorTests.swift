import ServerHarness
import Testing

/// A bank with uniform errors: an answer does not tell whether a cardholder exists, or may define a PIN.
@Suite("Uniform errors of definition")
struct UniformErrorTests {
    @Test(
        "111 and 114 are answered as a wrong hashMac or signature is; the audit trail has the true code",
        arguments: DefinitionCall.definitions)
    func uniform(call: DefinitionCall) async throws {
        let service = try await Service.shared.value
        let bank = try await service.installation.makeBank(Service.freeSettings + ["--uniform-errors", "true"])
        let holder = try await service.holder(of: bank)
        let suspended = try await service.holder(of: bank, status: "SUSPENDED")

        var wrong = try service.attempt(call, holder, of: bank)
        wrong.members[call == .hmac ? "hashMac" : "signature"] = .string(String(repeating: "A", count: 64))
        let expected = try await service.send(wrong).members
        #expect(expected["errorCode"]?.integer == (call == .hmac ? 141 : 206))
        for (holder, code) in [(TestCardholder(), 111), (suspended, 114)] {
            let answer = try await service.send(service.attempt(call, holder, of: bank))
            #expect(answer.members == expected)
            #expect(try service.server.auditLine(of: answer).contains(" true_code=\(code)"))
        }
        #expect(try await service.define("8305", call, holder, of: bank) == 0)
    }

    @Test("A keypad is made for a cardholder who does not exist, and for a bank that allows no definition")
    func keypads() async throws {
        let service = try await Service.shared.value
        let bank = try await service.installation.makeBank([
            "--uniform-errors", "true", "--definition", "false",
        ])
        for holder in [TestCardholder(), TestCardholder(String(repeating: "n", count: 65))] {
            #expect(try await service.keypad(holder, of: bank).places.count == 12)
        }
    }
}
