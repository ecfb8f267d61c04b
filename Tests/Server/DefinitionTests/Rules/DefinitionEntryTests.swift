import ServerHarness
import Testing

/// How a cardholder's choice can be sent: `--definition-by` (protocol, section 2.9, code 114).
@Suite("Digits or positions")
struct DefinitionEntryTests {
    static let cases: [(option: String, allowed: [DefinitionCall])] = [
        ("pin", [.hmac, .token]), ("indexes", [.indexes]), ("both", DefinitionCall.definitions),
    ]

    @Test("A choice that is sent in another way than the bank allows is answered 114", arguments: cases)
    func entry(option: String, allowed: [DefinitionCall]) async throws {
        let service = try await Service.shared.value
        let bank = try await service.installation.makeBank(Service.freeSettings + ["--definition-by", option])
        let holder = try await service.holder(of: bank)
        let keypad = try await service.send(try service.attempt(.keypad, holder, of: bank))
        #expect(keypad.code == (allowed.contains(.indexes) ? 0 : 114))
        for call in DefinitionCall.definitions {
            // Indexes need no keypad here: 114 comes before 214.
            var attempt = try service.attempt(call, holder, call == .indexes ? "0,1,2,3" : "8305", of: bank)
            if call == .indexes, allowed.contains(call) {
                attempt = try await service.defining("8305", call, holder, of: bank)
            }
            let answer = try await service.send(attempt)
            #expect(answer.code == (allowed.contains(call) ? 0 : 114), "\(call)")
            guard !allowed.contains(call) else { continue }
            #expect(answer.message?.contains("positions on a keypad") == true)
            guard call != .hmac else { continue }
            #expect(try await service.code(attempt) == 211, "the token is spent")
        }
    }

    @Test("A new bank of scheme CB takes positions only, one of PCI-CPP both")
    func defaults() async throws {
        let service = try await Service.shared.value
        for (scheme, digits) in [("CB", 114), ("PCI-CPP", 0)] {
            let bank = try await service.installation.makeBank(Service.freeSettings, scheme: scheme)
            let holder = try await service.holder(of: bank)
            #expect(try await service.define("8305", .hmac, holder, of: bank) == digits)
            #expect(try await service.define("8305", .token, holder, of: bank) == digits)
            #expect(try await service.define("2947", .indexes, holder, of: bank) == 0)
        }
    }

    @Test("With uniform errors nobody learns from the code how the bank takes a PIN")
    func uniform() async throws {
        let service = try await Service.shared.value
        let settings = Service.freeSettings + ["--definition-by", "indexes", "--uniform-errors", "true"]
        let bank = try await service.installation.makeBank(settings)
        let holder = try await service.holder(of: bank)
        for (call, code) in [(DefinitionCall.hmac, 141), (.token, 206)] {
            let answer = try await service.send(try service.attempt(call, holder, of: bank))
            #expect(answer.code == code)
            #expect(answer.message?.contains("keypad") == false)
        }
    }
}
