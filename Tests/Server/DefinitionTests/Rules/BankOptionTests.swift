import ServerHarness
import Testing

/// The options of `bank add` and `bank set` for PIN definition.
@Suite("Bank options of definition")
struct BankOptionTests {
    @Test("Options that are set are shown, and other options keep their values")
    func shown() async throws {
        let service = try await Service.shared.value
        let file = try TestFolder.shared.write("4917\n83625\n", named: "pins")
        let bank = Unique.name("bank")
        let add = [
            "bank", "add", bank, "--scheme", "CB", "--definition", "false", "--definitions-per-day", "7",
            "--definition-resets-delivery", "false", "--sealed-values", "any", "--defined-pins", "keep",
            "--definition-by", "pin", "--bindings", "require",
            "--weak-pin-rules", "pairs,same",
            "--weak-pin-file", file, "--pin-minimum-length", "5", "--pin-maximum-length", "9", "--json",
        ]
        let added = try JSON(parsing: try await service.installation.run(add).succeeded().stdout).object ?? [:]
        let expected: [String: JSON] = [
            "definition": false, "definitionsPerDay": 7, "definitionResetsDelivery": false, "sealedValues": "any",
            "definedPINs": "keep", "definitionBy": "pin", "bindings": "require",
            "weakPINRules": ["pairs", "same"], "listedPINs": 2, "pinMinimumLength": 5, "pinMaximumLength": 9,
        ]
        for (name, value) in expected { #expect(added[name] == value, "\(name)") }

        let set = ["bank", "set", bank, "--weak-pin-rules", "none", "--json"]
        let changed = try JSON(parsing: try await service.installation.run(set).succeeded().stdout).object ?? [:]
        #expect(changed["weakPINRules"] == [])
        #expect(changed.filter { $0.key != "weakPINRules" } == added.filter { $0.key != "weakPINRules" })
    }

    @Test("A new bank has the protocol's defaults")
    func defaults() async throws {
        let service = try await Service.shared.value
        let add = ["bank", "add", Unique.name("bank"), "--scheme", "CB", "--json"]
        let added = try JSON(parsing: try await service.installation.run(add).succeeded().stdout).object ?? [:]
        let expected: [String: JSON] = [
            "definition": true, "definitionsPerDay": 5, "definitionResetsDelivery": true, "sealedValues": "bound",
            "definedPINs": "deliver", "definitionBy": "indexes", "bindings": "accept",
            "weakPINRules": ["ascending", "descending", "listed", "pairs", "same"], "listedPINs": 0,
            "pinMinimumLength": 4, "pinMaximumLength": 6,
            "timestampToleranceSeconds": 300,
        ]
        for (name, value) in expected { #expect(added[name] == value, "\(name)") }
    }

    @Test(
        "An invalid value is refused, and no bank is created",
        arguments: [
            ["--definitions-per-day", "0"], ["--definitions-per-day", "101"], ["--definitions-per-day", "many"],
            ["--sealed-values", "none"], ["--defined-pins", "both"], ["--sealed-values", "Bound"],
            ["--keypads-per-minute", "60"], ["--definition-by", "none"], ["--bindings", "reject"],
            ["--definition", "maybe"], ["--definition-resets-delivery", "2"], ["--weak-pin-rules", "same,silly"],
            ["--weak-pin-rules", "none,same"], ["--weak-pin-rules", ""], ["--weak-pin-rules", "Same"],
            ["--pin-minimum-length", "3"], ["--pin-maximum-length", "13"], ["--pin-minimum-length", "7"],
            ["--weak-pin-file", "/nowhere/pins"],
        ])
    func refused(options: [String]) async throws {
        try await expectRefusal(options)
    }

    @Test(
        "A weak-PIN file with anything but PINs is refused", arguments: ["123", "1234567890123", "12a4", "4917,8305"])
    func refusedList(contents: String) async throws {
        try await expectRefusal(["--weak-pin-file", try TestFolder.shared.write(contents, named: "pins")])
    }

    private func expectRefusal(_ options: [String]) async throws {
        let installation = try await Service.shared.value.installation
        let bank = Unique.name("bank")
        let result = try await installation.run(["bank", "add", bank, "--scheme", "CB"] + options)
        #expect(result.status > 0)
        #expect(!result.stderr.isEmpty)
        #expect(try await installation.sql("SELECT count(*) FROM bank WHERE bank_id = '\(bank)'") == ["0"])
    }
}
