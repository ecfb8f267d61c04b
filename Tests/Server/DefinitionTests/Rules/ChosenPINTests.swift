import ServerHarness
import Testing

/// The PINs that a cardholder can choose, and their formats (protocol, sections 2.5 and 2.9).
@Suite("Chosen PINs")
struct ChosenPINTests {
    private static let byDigits = [DefinitionCall.hmac, .token]

    @Test(
        "A PIN padded with spaces to at most 16 characters is accepted; longer ones are answered 131",
        arguments: byDigits)
    func padding(call: DefinitionCall) async throws {
        let service = try await Service.shared.value
        let holder = try await service.holder()
        for count in [4, 5, 6, 10, 15, 16] {
            let pin = "8305".padding(to: count)
            #expect(try await service.code(service.attempt(call, holder, pin)) == 0, "\(count)")
        }
        for count in [17, 18, 64, 1000] {
            let pin = "8305".padding(to: count)
            #expect(try await service.code(service.attempt(call, holder, pin)) == 131, "\(count)")
        }
    }

    @Test("A PIN with anything but digits is answered 131", arguments: byDigits)
    func otherForms(call: DefinitionCall) async throws {
        let service = try await Service.shared.value
        let holder = try await service.holder()
        let texts = [
            " 8305", "83 05", "8305\t", "8305\n", "8305\0", "8305\0\0\0\0\0\0\0\0\0\0\0\0", "\08305", "+8305", "-830",
            "83.5",
            "8e05", "0x83", "8,3,0,5", "[8305]", "\"8305\"", "{}", "abcd", "٨٣٠٥", "８３０５", "8305é", "8305\u{A0}",
        ]
        for text in texts {
            #expect(try await service.code(service.attempt(call, holder, text)) == 131, "\(text)")
        }
        var attempt = try service.attempt(call, holder)
        attempt.plaintext = [0x38, 0x33, 0x30, 0xB5]
        #expect(try await service.code(attempt) == 131)
    }

    @Test("The message of 131 says what a PIN must be, and not what is wrong with this one")
    func message() async throws {
        let service = try await Service.shared.value
        for (settings, rule) in [
            ([], "it must have 4 to 6 digits and must not be easy to guess, as 1234, 4343, 5959 are"),
            (
                ["--weak-pin-rules", "pairs"],
                "it must have 4 to 6 digits and must not be easy to guess, as 4343, 5959 are"
            ),
            (
                ["--weak-pin-rules", "same", "--pin-minimum-length", "5"],
                "it must have 5 to 6 digits and must not be easy to guess"
            ),
            (["--weak-pin-rules", "none", "--pin-minimum-length", "5"], "it must have 5 to 6 digits"),
        ] {
            let bank = try await service.installation.makeBank(settings)
            let holder = TestCardholder(pin: nil)
            try await service.installation.provision([holder], of: bank, through: service.server)
            for call in DefinitionCall.definitions {
                let attempt = try await service.defining("4343", call, holder, of: bank)
                let answer = try await service.send(attempt)
                #expect(answer.code == 131)
                #expect(answer.message == "PIN format is invalid: \(rule)", "\(call)")
            }
        }
    }

    @Test("An empty choice, or one of spaces only, is answered 130", arguments: DefinitionCall.definitions, [0, 1, 16])
    func nothing(call: DefinitionCall, count: Int) async throws {
        let service = try await Service.shared.value
        let attempt = try await service.attempt(call, service.holder(), "".padding(to: count))
        #expect(try await service.code(attempt) == 130)
    }

    @Test(
        "A PIN outside the bank's length limits is answered 131",
        arguments: [(nil, 4...6), ((4, 12), 4...12), ((6, 8), 6...8), ((5, 5), 5...5)]
            as [((Int, Int)?, ClosedRange<Int>)])
    func lengths(settings: (minimum: Int, maximum: Int)?, allowed: ClosedRange<Int>) async throws {
        let service = try await Service.shared.value
        let options = settings.map {
            ["--pin-minimum-length", "\($0.minimum)", "--pin-maximum-length", "\($0.maximum)"]
        }
        let bank = try await service.installation.makeBank(Service.freeSettings + (options ?? []))
        let holder = TestCardholder(pin: nil)
        try await service.installation.provision([holder], of: bank, through: service.server)
        for count in 1...16 {
            let pin = String("8305274916038527".prefix(count))
            for call in DefinitionCall.definitions {
                let code = try await service.define(pin, call, holder, of: bank)
                #expect(code == (allowed ~= count ? 0 : 131), "\(count) digits, \(call)")
            }
            if allowed ~= count { #expect(try await service.fetch(holder, of: bank).length == count) }
        }
    }
}

/// Rules against PINs that are easy to guess.
@Suite("Weak PINs")
struct WeakPINTests {
    private struct Rule {
        let options: [String]
        let refused: [String]
        let allowed: [String]
    }

    private static let rules = [
        Rule(
            options: ["same"], refused: ["7777", "00000", "111111"],
            allowed: ["7778", "7877", "2345", "5432", "4545", "4455", "2580"]),
        Rule(
            options: ["ascending"], refused: ["2345", "0123", "7890", "89012", "345678"],
            allowed: ["2346", "1357", "5432", "7777", "4545", "7891"]),
        Rule(
            options: ["descending"], refused: ["5432", "3210", "2109", "10987", "876543"],
            allowed: ["5431", "9753", "2345", "7777", "4545", "0123"]),
        Rule(
            options: ["pairs"], refused: ["4545", "4455", "454545", "445566", "0077"],
            allowed: ["4554", "4565", "456456", "445567", "2345", "5432"]),
        Rule(
            options: ["listed"], refused: ["2580", "1004", "2000", "1984", "123321"],
            allowed: ["7777", "2345", "5432", "4455", "8305", "4917"]),
        Rule(options: ["same,pairs"], refused: ["7777", "4545"], allowed: ["2345", "5432", "2580"]),
        Rule(options: ["none"], refused: [], allowed: ["7777", "2345", "5432", "4545", "2580", "000000"]),
    ]

    @Test("Each rule refuses its own PINs and accepts all others")
    func rules() async throws {
        let service = try await Service.shared.value
        let bank = try await service.installation.makeBank(["--definitions-per-day", "100"])
        let holder = try await service.holder(of: bank)
        let byDefault = Rule(
            options: [], refused: ["7777", "2345", "5432", "4545", "4455", "2580"],
            allowed: ["8305", "29471", "604183"])
        try await expect(byDefault, of: bank, holder)
        for rule in Self.rules {
            let set = ["bank", "set", bank.id, "--weak-pin-rules"] + rule.options
            try await service.installation.run(set).succeeded()
            try await expect(rule, of: bank, holder)
        }
    }

    @Test("With the rule \"listed\", PINs of the bank's own list and of the common list are refused")
    func ownList() async throws {
        let service = try await Service.shared.value
        let file = try TestFolder.shared.write("4917\n83625\r\n\n  604183  \n", named: "pins")
        let bank = try await service.installation.makeBank(["--weak-pin-file", file, "--definitions-per-day", "100"])
        let holder = try await service.holder(of: bank)
        let listed = ["4917", "83625", "604183"]
        try await expect(Rule(options: [], refused: listed + ["2580", "7777"], allowed: ["8305"]), of: bank, holder)

        let installation = service.installation
        try await installation.run(["bank", "set", bank.id, "--weak-pin-rules", "same"]).succeeded()
        try await expect(Rule(options: [], refused: ["7777"], allowed: listed), of: bank, holder)

        let empty = try TestFolder.shared.write("", named: "pins")
        let set = ["bank", "set", bank.id, "--weak-pin-rules", "listed", "--weak-pin-file", empty]
        try await installation.run(set).succeeded()
        try await expect(Rule(options: [], refused: ["2580"], allowed: listed), of: bank, holder)
    }

    @Test("A weak PIN is answered 131 on every operation", arguments: DefinitionCall.definitions)
    func everyWay(call: DefinitionCall) async throws {
        let service = try await Service.shared.value
        let bank = try await service.installation.makeBank()
        let holder = try await service.holder(of: bank)
        #expect(try await service.define("7777", call, holder, of: bank) == 131)
        #expect(try await service.define("8305", call, holder, of: bank) == 0)
    }

    private func expect(_ rule: Rule, of bank: TestBank, _ holder: TestCardholder) async throws {
        let service = try await Service.shared.value
        for (code, pins) in [(131, rule.refused), (0, rule.allowed)] {
            for pin in pins {
                #expect(try await service.define(pin, .hmac, holder, of: bank) == code, "\(rule.options) \(pin)")
            }
        }
    }
}

extension String {
    /// The text, padded with spaces at the end.
    func padding(to count: Int) -> String {
        self + String(repeating: " ", count: count - self.count)
    }
}
