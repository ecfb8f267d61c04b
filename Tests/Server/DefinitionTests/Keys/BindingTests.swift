import ServerHarness
import Testing

/// A sealed choice names the request that it is for (protocol, section 2.5).
@Suite("Binding of sealed choices")
struct BindingTests {
    /// A header parameter, and a value that is not the request's.
    static let wrongNames: [(name: String, value: JSON)] = [
        ("cty", "authenticationCode"), ("cty", "PIN"), ("cty", ""), ("iss", "other"), ("sub", "other"), ("sub", ""),
        ("jti", "other"), ("keypadId", "other"),
    ]

    @Test("A choice that names another bank, cardholder, request or purpose is answered 200", arguments: [true, false])
    func wrong(isBound: Bool) async throws {
        let service = try await Service.shared.value
        let bank = try await bank(isBound, service)
        let holder = try await service.holder(of: bank)
        for call in DefinitionCall.definitions {
            for (name, value) in Self.wrongNames {
                var attempt = try await service.defining("8305", call, holder, of: bank)
                attempt.sealing.header[name] = .some(value)
                let answer = try await service.send(attempt)
                #expect(answer.code == 200, "\(call), \(name)")
                #expect(answer.message?.contains(name) == true)
                guard call != .hmac else { continue }
                // The token is spent.
                attempt.sealing.header = [:]
                #expect(try await service.code(attempt) == 211)
            }
        }
        #expect(try await service.row("pin_serial", of: holder) == "1")
    }

    @Test("A choice that leaves out a name is answered 200, unless the bank takes any")
    func absent() async throws {
        let service = try await Service.shared.value
        for isBound in [true, false] {
            let bank = try await bank(isBound, service)
            let holder = try await service.holder(of: bank)
            for call in DefinitionCall.definitions {
                let names = ["cty", "iss", "sub", "jti"] + (call == .indexes ? ["keypadId"] : [])
                for name in names {
                    var attempt = try await service.defining("8305", call, holder, of: bank)
                    attempt.sealing.header[name] = .some(nil)
                    #expect(try await service.code(attempt) == (isBound ? 200 : 0), "\(call), \(name)")
                }
                var attempt = try await service.defining("8305", call, holder, of: bank)
                attempt.isBound = false
                #expect(try await service.code(attempt) == (isBound ? 200 : 0), "\(call)")
            }
        }
    }

    @Test("A choice that was seen on its way defines no PIN for another cardholder", arguments: DefinitionCall.byToken)
    func replayed(call: DefinitionCall) async throws {
        let service = try await Service.shared.value
        let (victim, thief) = (try await service.holder(), try await service.holder())
        let seen = try await service.defining("8305", call, victim).body()[call.choice]
        var attempt = try await service.defining("2947", call, thief)
        attempt.members[call.choice] = seen
        #expect(try await service.code(attempt) == 200)
        #expect(try await service.row("pin_serial", of: thief) == "1")
    }

    @Test("Names are compared byte by byte after unescaping")
    func unescaped() async throws {
        let service = try await Service.shared.value
        let holder = TestCardholder("é\(Unique.name("holder"))")
        try await service.installation.provision([holder], of: service.bank, through: service.server)
        var attempt = try service.attempt(.token, holder)
        attempt.sealing.headerText = { JSON.object($0).text.replacing("é", with: "\\u00e9") }
        #expect(try await service.code(attempt) == 0)
        attempt = try service.attempt(.token, holder)
        attempt.sealing.header["sub"] = .string("e\u{301}" + String(holder.uniqueId.dropFirst()))
        #expect(try await service.code(attempt) == 200)
    }

    private func bank(_ isBound: Bool, _ service: Service) async throws -> TestBank {
        try await service.installation.makeBank(
            Service.freeSettings + ["--sealed-values", isBound ? "bound" : "any"])
    }
}
