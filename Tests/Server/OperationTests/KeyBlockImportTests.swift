import Foundation
import PythonOracle
import ServerHarness
import Testing

/// Keys in key blocks that psec makes, as a bank.
@Suite("Import of key blocks", .enabled(if: PythonOracle.isAvailable, Comment(rawValue: PythonOracle.absence)))
struct KeyBlockImportTests {
    private static let installation = Once { try await TestInstallation() }
    private static let oracle = PythonOracle(script: "../../Keys/KeyBlocksTests/Oracles/psec_oracle.py")

    /// A bank with a key block protection key.
    private struct Sender {
        let bank: String
        let protectionKey: [UInt8]
        let version: String

        func block(_ letters: String, _ key: [UInt8]) async throws -> String {
            let asked = [
                "protectionKey": Hex.encode(protectionKey), "key": Hex.encode(key),
                "header": "\(version)0000\(letters)00N0000",
            ]
            return try #require(try await KeyBlockImportTests.oracle.ask("wrap", asked)["block"])
        }

        func run(_ arguments: [String]) async throws -> CommandResult {
            try await KeyBlockImportTests.installation.value.run(arguments)
        }

        func importBlock(
            _ block: String, usage: String, under label: String = "kbpk", _ options: [String] = []
        ) async throws -> CommandResult {
            try await run(
                ["key", "import", "--bank", bank, "--usage", usage, "--tr31", block, "--under", label] + options)
        }
    }

    private func random(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8.random(in: .min ... .max) } }

    private func makeSender(
        _ algorithm: String = "aes", _ byteCount: Int = 32, direction: String = "decrypt"
    ) async throws -> Sender {
        let installation = try await Self.installation.value
        let id = "bank-\(UUID().uuidString.prefix(8))"
        try await installation.run(["bank", "add", id, "--scheme", "PCI-CPP"]).succeeded()
        let key = random(byteCount)
        try await installation.importKey(
            key, label: "kbpk", into: id,
            ["--usage", "key-block", "--algorithm", algorithm, "--direction", direction])
        return Sender(bank: id, protectionKey: key, version: algorithm == "aes" ? "D" : "B")
    }

    @Test(
        "A key in a key block is imported for what its header says",
        arguments: [
            ("P0AD", 16, "pin-encryption", "aes", "decrypt"), ("P0AE", 32, "pin-encryption", "aes", "encrypt"),
            ("P0TB", 24, "pin-encryption", "tdes", "both"), ("K1AB", 32, "key-block", "aes", "both"),
            ("K1TD", 16, "key-block", "tdes", "decrypt"),
        ])
    func kinds(letters: String, byteCount: Int, usage: String, algorithm: String, direction: String) async throws {
        let sender = try await makeSender()
        let imported = try await sender.importBlock(
            sender.block(letters, random(byteCount)), usage: usage, under: "kbpk", ["--label", "new", "--json"]
        ).succeeded()
        let kcv = try JSON(parsing: imported.stdout).object?["kcv"]?.string
        let json = try await sender.run(["key", "list", "--bank", sender.bank, "--json"]).succeeded().stdout
        let key = try #require(try JSON(parsing: json).array?.compactMap(\.object).first { $0["label"] == "new" })
        #expect(key["usage"]?.string == usage && key["algorithm"]?.string == algorithm)
        #expect(key["direction"]?.string == direction && key["kcv"]?.string == kcv && key["status"] == "ACTIVE")
    }

    @Test("An HMAC key in a key block makes hashMacs of its usage", arguments: ["M7HV", "M7HC"])
    func hmacKeys(letters: String) async throws {
        let sender = try await makeSender()
        let imported = try await sender.importBlock(
            sender.block(letters, random(32)), usage: "distribution", under: "kbpk", ["--json"]
        ).succeeded()
        // Without --label, the KCV is the label.
        let members = try JSON(parsing: imported.stdout).object
        #expect(members?["label"] == members?["kcv"])
        #expect(members?["kcv"]?.string?.count == 6)
    }

    @Test("A key block can come in a file, with white space at its ends, under a key that came in one")
    func chain() async throws {
        let sender = try await makeSender()
        let key = random(24)
        let block = try await sender.block("K1AD", key)
        let file = try TestFolder.shared.write("\n \(block)\r\n", named: "block")
        try await sender.run([
            "key", "import", "--bank", sender.bank, "--usage", "key-block", "--tr31-file", file, "--under", "kbpk",
            "--label", "second",
        ]).succeeded()
        let below = Sender(bank: sender.bank, protectionKey: key, version: "D")
        let pinKey = try await below.block("P0AD", random(24))
        try await below.importBlock(pinKey, usage: "pin-encryption", under: "second").succeeded()
        let stronger = try await below.block("P0AD", random(32))
        let refused = try await below.importBlock(stronger, usage: "pin-encryption", under: "second")
        #expect(refused.status == 65 && refused.stderr.contains("key block protection key: it is weaker"))
    }

    @Test("A key block can be in several lines, and with a payShield's R before it, which the command says")
    func lines() async throws {
        let sender = try await makeSender()
        let (first, second) = (try await sender.block("P0AD", random(16)), try await sender.block("P0AD", random(32)))
        let plain = try await sender.importBlock(
            "\(first.prefix(40))\r\n  \(first.dropFirst(40))", usage: "pin-encryption"
        ).succeeded()
        #expect(!plain.stderr.contains("the R"))
        let file = try TestFolder.shared.write("R\(second.prefix(16))\n\(second.dropFirst(16))\n", named: "block")
        let imported = try await sender.run([
            "key", "import", "--bank", sender.bank, "--usage", "pin-encryption", "--tr31-file", file, "--under", "kbpk",
        ]).succeeded()
        #expect(imported.stderr.contains("the R before the key block is left out: it is a payShield's key scheme"))
    }

    @Test("A key of usage K0 opens key blocks only if the operator takes it so")
    func keyEncryptionKeys() async throws {
        let sender = try await makeSender()
        let key = random(32)
        let block = try await sender.block("K0AB", key)
        let refused = try await sender.importBlock(block, usage: "key-block", under: "kbpk", ["--label", "k0"])
        #expect(refused.status == 65 && refused.stderr.contains("key encryption of any kind (K0)"), "\(refused.stderr)")
        #expect(refused.stderr.contains("or take it all the same with --accept-k0"))
        try await sender.importBlock(
            block, usage: "key-block", under: "kbpk", ["--label", "k0", "--accept-k0"]
        ).succeeded()
        let below = Sender(bank: sender.bank, protectionKey: key, version: "D")
        try await below.importBlock(below.block("P0AD", random(16)), usage: "pin-encryption", under: "k0").succeeded()
        // It makes nothing else of K0, and K1 still needs no option.
        let asPINKey = try await sender.importBlock(block, usage: "pin-encryption", under: "kbpk", ["--accept-k0"])
        #expect(asPINKey.status == 64 && asPINKey.stderr.contains("--accept-k0 is for --usage key-block only"))
        let other = try await sender.importBlock(sender.block("K0AD", random(16)), usage: "pin-encryption")
        #expect(other.status == 65 && other.stderr.contains("cannot be imported with --usage pin-encryption"))
        try await sender.importBlock(sender.block("K1AD", random(32)), usage: "key-block").succeeded()
    }

    @Test("Version B comes under Triple DES")
    func tripleDES() async throws {
        let sender = try await makeSender("tdes", 24)
        try await sender.importBlock(sender.block("P0TD", random(16)), usage: "pin-encryption").succeeded()
        let aes = try await sender.importBlock(sender.block("P0AD", random(16)), usage: "pin-encryption")
        #expect(aes.status == 65 && aes.stderr.contains("weaker"))
    }

    @Test(
        "A key block for another usage is refused",
        arguments: [
            ("P0AD", "distribution"), ("P0AD", "key-block"), ("K1AD", "pin-encryption"), ("K1AD", "both"),
            ("M7HV", "pin-encryption"), ("M7HV", "key-block"),
        ])
    func otherUsages(letters: String, usage: String) async throws {
        let sender = try await makeSender()
        let refused = try await sender.importBlock(sender.block(letters, random(32)), usage: usage)
        #expect(refused.status == 65 && refused.stderr.contains("cannot be imported with --usage \(usage)"))
    }

    @Test("A block that was changed, or that the server does not honour, is refused, and the field is named")
    func refusals() async throws {
        let sender = try await makeSender()
        let block = try await sender.block("P0AD", random(16))
        for (text, reason) in [
            (block.replacing("P0AD", with: "P0AB"), "MAC: it does not match"),
            (try await sender.block("D0AD", random(16)), "key usage: 'D0' is refused"),
            (try await sender.block("P0AN", random(16)), "mode of use: 'N' is refused"),
            ("hello", "key block version ID"),
            ("", "key block length: there is no key block: the text is empty"),
            (String(block.dropLast(2)), "key block length"),
        ] {
            let refused = try await sender.importBlock(text, usage: "pin-encryption")
            #expect(
                refused.status == 65 && refused.stderr.contains("the key block is refused: \(reason)"),
                "\(refused.stderr)")
        }
    }

    @Test("A protection key must be there, be active, be for key blocks, and open them")
    func protectionKeys() async throws {
        let sender = try await makeSender()
        let block = try await sender.block("P0AD", random(16))
        let unknown = try await sender.importBlock(block, usage: "pin-encryption", under: "nobody")
        #expect(unknown.status == 1 && unknown.stderr.contains("no key 'nobody' of usage key-block"))
        try await sender.importBlock(block, usage: "pin-encryption", under: "kbpk", ["--label", "pek"]).succeeded()
        let pinKey = try await sender.importBlock(block, usage: "pin-encryption", under: "pek")
        #expect(pinKey.status == 1 && pinKey.stderr.contains("no key 'pek' of usage key-block"))
        try await sender.run(["key", "disable", "--bank", sender.bank, "kbpk"]).succeeded()
        let disabled = try await sender.importBlock(sender.block("P0AD", random(16)), usage: "pin-encryption")
        #expect(disabled.status == 1 && disabled.stderr.contains("is disabled"))
        let wrapping = try await makeSender("aes", 32, direction: "encrypt")
        let refused = try await wrapping.importBlock(wrapping.block("P0AD", random(16)), usage: "pin-encryption")
        #expect(refused.status == 65 && refused.stderr.contains("can only wrap keys"))
    }

    @Test("The same key in another block is refused, and a label that is taken")
    func duplicates() async throws {
        let (sender, other) = (try await makeSender(), try await makeSender())
        let key = random(16)
        try await sender.importBlock(
            sender.block("P0AD", key), usage: "pin-encryption", under: "kbpk", ["--label", "a"]
        )
        .succeeded()
        for (sender, letters) in [(sender, "P0AD"), (other, "P0AB"), (other, "P0TD")] {
            let refused = try await sender.importBlock(
                sender.block(letters, key), usage: "pin-encryption", under: "kbpk", ["--label", "b"])
            #expect(refused.status == 1 && refused.stderr.contains("was imported before"))
        }
        let hmac = try await other.importBlock(other.block("M7HV", key), usage: "distribution")
        #expect(hmac.status == 1 && hmac.stderr.contains("was imported before"))
        let taken = try await sender.importBlock(
            sender.block("P0AD", random(16)), usage: "pin-encryption", under: "kbpk", ["--label", "a"])
        #expect(taken.status == 1 && taken.stderr.contains("already has a key 'a'"))
    }
}
