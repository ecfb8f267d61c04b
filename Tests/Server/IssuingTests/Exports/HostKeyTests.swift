import PythonOracle
import ServerHarness
import Testing

/// Keys for the issuer's host, with what operators fix for them.
@Suite("Keys for the issuer's host", .enabled(if: PythonOracle.isAvailable, Comment(rawValue: PythonOracle.absence)))
struct HostKeyTests {
    private static let exporter = Once { try await Exporter(kinds: []) }

    private func refusal(_ letters: String, _ options: [String], byteCount: Int = 16) async throws -> String {
        let exporter = try await Self.exporter.value
        let result = try await exporter.importKey(Exporter.random(byteCount), letters, options)
        #expect(result.status != 0)
        return result.stderr
    }

    @Test("key list shows a key's rules")
    func listed() async throws {
        let exporter = try await Exporter(kinds: [Exporter.Kind.all[4]])
        let shown = try await exporter.installation.run(
            ["key", "list", "--bank", exporter.backend.bank.id, "--json"]
        ).succeeded().stdout
        let key = try JSON(parsing: shown).array?.compactMap(\.object).first { $0["label"] == "ibm" }
        #expect(key?["usage"] == "ibm3624-offset" && key?["direction"] == "encrypt")
        #expect(
            key?["rules"] == [
                "decimalization-table=8351296477421905", "validation-data=4:12:D", "pin-length=4", "pan-length=16",
                "pan-prefixes=412345,54321098",
            ])
    }

    @Test("bank check says what an export lacks, and which PINs cannot be exported")
    func bankCheck() async throws {
        let exporter = try await Exporter(
            ["--definitions-per-day", "5"], kinds: [Exporter.Kind.all[3], Exporter.Kind.all[4]])
        let installation = try await exporter.installation
        func check(_ settings: String...) async throws -> String {
            try await installation.run(["bank", "set", exporter.backend.bank.id] + settings).succeeded()
            return try await installation.run(["bank", "check", exporter.backend.bank.id]).stdout
        }
        #expect(try await check("--retry-limit", "4").contains("exports of PINs are switched off"))
        let problems = [
            ("a PIN that is shown before its export is gone", ["--retention", "keep"]),
            (
                "key 'ibm' serves PINs of 4 digits only", ["--pin-minimum-length", "4", "--pin-maximum-length", "4"]
            ),
            ("makes 10 exports with all keys (ibm, pvk): only 3 a day are made", ["--definitions-per-day", "1"]),
        ]
        var shown = try await check("--pin-exports", "true")
        for (problem, settings) in problems {
            #expect(shown.contains(problem) && shown.contains(settings.joined(separator: " ")), "\(shown)")
            try await installation.run(["bank", "set", exporter.backend.bank.id] + settings).succeeded()
            shown = try await check("--retry-limit", "4")
            #expect(!shown.contains(problem), "\(shown)")
        }
        #expect(shown.contains("the back-end gets defined PINs for the host, with ibm, pvk"), "\(shown)")
    }

    @Test("bank check says that a bank has more keys for the host than exports of a day")
    func manyKeys() async throws {
        let exporter = try await Exporter(["--pin-exports", "true"], kinds: Array(Exporter.Kind.all.prefix(4)))
        let shown = try await exporter.installation.run(["bank", "check", exporter.backend.bank.id]).stdout
        #expect(shown.contains("there are 4 keys for the issuer's host, and only 3 exports a day"), "\(shown)")
        #expect(shown.contains("card-companion key disable --bank"), "\(shown)")
    }

    @Test(
        "A key block serves the usage that it says",
        arguments: [
            ("P0TD", "pin-translation", "must be E"), ("P0TB", "pin-translation", "must be E"),
            ("V2TG", "pin-translation", "--usage pin-translation"), ("V1TG", "visa-pvv", "--usage visa-pvv"),
            ("V2TC", "ibm3624-offset", "--usage ibm3624-offset"), ("V2TV", "visa-pvv", "mode of use"),
            ("V1TV", "ibm3624-offset", "mode of use"), ("V0TG", "visa-pvv", "only P0"),
            ("P0TE", "visa-pvv", "--usage visa-pvv"),
            ("V2AG", "visa-pvv", "algorithm"),
        ])
    func usage(letters: String, usage: String, reason: String) async throws {
        let own =
            switch usage {
            case "pin-translation": ["--formats", "iso-3"]
            case "visa-pvv": ["--pvki", "1"]
            default: Array(Exporter.Kind.all[4].options.dropFirst(2))
            }
        #expect(try await refusal(letters, ["--usage", usage] + own + Exporter.cards).contains(reason))
    }

    @Test("A key serves one usage: the same key is not taken for another one")
    func oneUsage() async throws {
        let exporter = try await Self.exporter.value
        let key = Exporter.random(16)
        let pvv = ["--usage", "visa-pvv", "--pvki", "1", "--label", "only"] + Exporter.cards
        try await exporter.importKey(key, "V2TC", pvv).succeeded()
        let options = ["--usage", "pin-translation", "--formats", "iso-3"] + Exporter.cards
        #expect(try await exporter.importKey(key, "P0TE", options).stderr.contains("imported before"))
        let ibm = Exporter.Kind.all[4].options + Exporter.cards
        #expect(try await exporter.importKey(key, "V1TC", ibm).stderr.contains("imported before"))
        #expect(
            try await exporter.importKey(key, "P0TB", ["--usage", "pin-encryption"]).stderr.contains("imported before"))
    }

    @Test(
        "Each rule is there and right",
        arguments: [
            (["--usage", "visa-pvv"], "--pvki is missing"),
            (["--usage", "visa-pvv", "--pvki", "7"], "--pvki must be 0 to 6"),
            (["--usage", "visa-pvv", "--pvki", "1", "--formats", "iso-3"], "--formats is not for"),
            (["--usage", "key-block", "--pvki", "1"], "--pvki is not for"),
        ])
    func rules(options: [String], reason: String) async throws {
        #expect(try await refusal("V2TG", options + Exporter.cards).contains(reason))
    }

    @Test(
        "What would let two cards share values is refused",
        arguments: [
            ("16", "412345,542345", "need two keys"), ("16", "412345,41234567", "need two keys"),
            ("19", "412345", "prefix 412345"),
            ("16", "41234", "6 to 11"), ("16", "412345,412345", "6 to 11"), ("16", "", "6 to 11"),
            ("12", "412345", "13 to 19"),
            ("16", "41234x", "6 to 11"),
        ])
    func cards(length: String, prefixes: String, reason: String) async throws {
        let options = ["--usage", "visa-pvv", "--pvki", "1", "--pan-length", length, "--pan-prefixes", prefixes]
        #expect(try await refusal("V2TG", options).contains(reason))
    }

    @Test(
        "Weak rules of IBM 3624 are refused",
        arguments: [
            ("0000000000000000", "4:12:D", "4", "different ones"), ("8351296477421905", "1:16", "4", "START:COUNT:PAD"),
            ("8351296477421905", "2:16:D", "4", "beyond"), ("8351296477421905", "1:10:D", "4", "must have at least"),
            ("8351296477421905", "1:16:D", "3", "4 to 12"),
        ])
    func ibm3624(table: String, data: String, length: String, reason: String) async throws {
        let options = [
            "--usage", "ibm3624-offset", "--decimalization-table", table, "--validation-data", data, "--pin-length",
            length,
        ]
        #expect(try await refusal("V1TG", options + Exporter.cards).contains(reason))
    }

    @Test("Formats fit the key, and a PVV key has two parts")
    func algorithms() async throws {
        for (letters, formats, count) in [("P0TE", "iso-4", 16), ("P0AE", "iso-3", 32), ("P0TE", "iso-1", 16)] {
            let options = ["--usage", "pin-translation", "--formats", formats] + Exporter.cards
            #expect(try await refusal(letters, options, byteCount: count).contains("--formats"))
        }
        let pvv = ["--usage", "visa-pvv", "--pvki", "1"] + Exporter.cards
        #expect(try await refusal("V2TG", pvv, byteCount: 24).contains("has 16 bytes"))
    }

    @Test("Such a key does not come in components")
    func components() async throws {
        let exporter = try await Self.exporter.value
        let options = ["--usage", "visa-pvv", "--algorithm", "tdes", "--pvki", "1"] + Exporter.cards
        let result = try await exporter.installation.enterComponent(
            String(repeating: "5A3C96F1", count: 4), into: exporter.backend.bank.id, options)
        #expect(result.status != 0 && result.stderr.contains("comes in a key block"))
    }

    @Test("A key for the host opens no PIN block, and makes none for events")
    func otherWays() async throws {
        let exporter = try await Exporter(
            Exporter.settings + ["--pin-blocks", "iso-1,iso-3"], kinds: [Exporter.Kind.all[0]])
        let result = try await exporter.installation.run(
            ["bank", "set", exporter.backend.bank.id, "--defined-pin-key", "tdes"])
        #expect(result.status != 0 && result.stderr.contains("usage pin-encryption"))
        let holder = TestCardholder(pin: nil)
        var body = try holder.members(sealedTo: exporter.backend.key, of: exporter.backend.bank.id)
        let members: [String: JSON] = ["format": "iso-1", "key": "tdes", "block": "0011223344556677"]
        let binding = SealedBinding("pinBlock", bankId: exporter.backend.bank.id, uniqueId: holder.uniqueId)
        body["pinBlock"] = .string(try exporter.backend.key.seal(Array(JSON.object(members).text.utf8), binding))
        let answer = try await exporter.backend.put(holder.uniqueId, body)
        #expect(answer.status == 422 && answer.invalid.map(\.member) == ["pinBlock"])
    }
}
