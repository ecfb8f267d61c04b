import Foundation
import PythonOracle
import ServerHarness
import Testing

/// Keys of banks, in components and in key blocks. psec is the bank.
@Suite("Import of keys")
struct KeyImportTests {
    private static let installation = Once { try await TestInstallation() }
    private static let pinKey = ["--usage", "pin-encryption", "--algorithm", "aes"]
    private static let one = "6A23456789ABCDEFFEDCBA98765432E7"
    private static let two = "1111222233334444555566667777889A"

    private func run(_ arguments: [String], as user: String? = nil) async throws -> CommandResult {
        try await Self.installation.value.run(arguments, as: user)
    }

    private func makeBank() async throws -> String {
        let id = "bank-\(UUID().uuidString.prefix(8))"
        try await run(["bank", "add", id, "--scheme", "PCI-CPP"]).succeeded()
        return id
    }

    private func enter(
        _ hex: String, of count: Int = 2, into bank: String, as user: String = "alice", _ options: [String] = pinKey
    ) async throws -> CommandResult {
        try await Self.installation.value.enterComponent(hex, of: count, into: bank, as: user, options)
    }

    private func confirm(
        _ kcv: String, _ label: String, of bank: String, as user: String
    ) async throws -> CommandResult {
        try await run(["key", "confirm", "--bank", bank, "--kcv", kcv, label], as: user)
    }

    private func random(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8.random(in: .min ... .max) } }

    private func list(_ bank: String) async throws -> [[String: JSON]] {
        let json = try await run(["key", "list", "--bank", bank, "--json"]).succeeded().stdout
        return try JSON(parsing: json).array?.compactMap(\.object) ?? []
    }

    private func sql(_ statement: String) async throws -> [String] {
        try await Self.installation.value.sql(statement)
    }
}

// MARK: - Components

extension KeyImportTests {
    @Test("Custodians enter components, another operator confirms, and the key is active")
    func ceremony() async throws {
        let bank = try await makeBank()
        let label = ["--label", "pek"]
        let first = try await enter(Self.one, into: bank, as: "alice", Self.pinKey + label).succeeded()
        #expect(first.stdout.contains("component 1 of 2"))
        // AES-CMAC over zeros, by Python's cryptography.
        #expect(first.stdout.contains("KCV is \(Self.kcvOfOne) (CMAC; a zero block encrypted gives "))
        #expect(try await list(bank).first?["status"] == "PENDING")
        let early = try await confirm("0000000000", "pek", of: bank, as: "bob")
        #expect(early.status == 1 && early.stderr.contains("only 1 of 2"))

        let second = try await enter(
            "1111 2222 3333 4444\t5555 6666 7777 889A", into: bank, as: "bob", Self.pinKey + label
        )
        .succeeded()
        #expect(second.stdout.contains("the key's KCV is \(Self.kcvOfBoth)"))
        let third = try await enter("A0B1C2D3E4F5061728394A5B6C7D8E90", into: bank, as: "carol", Self.pinKey + label)
        #expect(third.status == 1 && third.stderr.contains("all components"))
        let same = try await confirm(Self.kcvOfBoth, "pek", of: bank, as: "alice")
        #expect(same.status == 1 && same.stderr.contains("another operator"))
        let wrong = try await confirm(Self.kcvOfOne, "pek", of: bank, as: "bob")
        #expect(wrong.status == 1 && wrong.stderr.contains("another check value"))
        #expect(!wrong.stderr.contains(Self.kcvOfBoth))
        #expect(try await list(bank).first?["status"] == "PENDING")

        try await confirm(Self.kcvOfBoth.lowercased(), "pek", of: bank, as: "bob").succeeded()
        let key = try #require(try await list(bank).first)
        #expect(key["status"] == "ACTIVE" && key["label"] == "pek" && key["usage"] == "pin-encryption")
        #expect(key["algorithm"] == "aes" && key["direction"] == "decrypt")
        #expect(key["kcv"]?.string == Self.kcvOfBoth)
        #expect(try await sql("SELECT count(*) FROM key_import WHERE bank_id = '\(bank)'") == ["0"])
        #expect(try await sql("SELECT count(*) FROM key_component WHERE bank_id = '\(bank)'") == ["0"])
        for text in [first, second, third, same, wrong].flatMap({ [$0.stdout, $0.stderr] }) {
            #expect(!text.contains(Self.one) && !text.contains(Self.two))
        }
    }

    @Test(
        "Who has set SUDO_USER is not another person: the login counts", .enabled(if: TestLogin.canBePlayed))
    func inventedPerson() async throws {
        let (bank, installation) = (try await makeBank(), try await Self.installation.value)
        let options = Self.pinKey + ["--label", "pek", "--json"]
        let (one, other): (UInt32, UInt32) = (54_321, 54_322)
        var kcv = ""
        for _ in 0..<2 {
            let entered = try await installation.enterComponent(
                Hex.encode(random(16)), into: bank, as: "alice", login: one, options
            ).succeeded()
            kcv = try JSON(parsing: entered.stdout).object?["kcv"]?.string ?? ""
        }
        #expect(try await list(bank).first?["custodians"] == ["uid 54321", "uid 54321"])
        let confirm = ["key", "confirm", "--bank", bank, "--kcv", kcv, "pek"]
        let invented = try await installation.run(confirm, as: "bob", login: one)
        #expect(invented.status == 1 && invented.stderr.contains("another operator must confirm"))
        try await installation.run(confirm, as: "alice", login: other).succeeded()
    }

    @Test("Check values of 6 digits, and of a zero block encrypted, confirm an AES key, and others do not")
    func otherCheckValues() async throws {
        let bank = try await makeBank()
        // Other components than those of other tests: no two banks have the same key.
        let (one, two) = ("5C1A9E3377D0B84216F3E2C1A09B8D74", "93E0C4B2A1F06D5587297A6C3B1E4F08")
        // By Python's cryptography.
        let (kcv, zeros) = ("8880293767", "EF0D3C")
        let options = Self.pinKey + ["--label", "pek", "--json"]
        func enterBoth() async throws -> [String: JSON] {
            try await enter(one, into: bank, as: "alice", options).succeeded()
            let last = try await enter(two, into: bank, as: "bob", options).succeeded()
            return try #require(JSON(parsing: last.stdout).object)
        }
        let shown = try await enterBoth()
        #expect(shown["kcv"]?.string == kcv && shown["encryptedZeros"]?.string == zeros)
        #expect(shown["componentEncryptedZeros"]?.string?.count == 6)
        for (entered, status, text) in [
            (String(kcv.dropLast(6)), 65, "--kcv must be a check value: 6, 8 or 10 hex digits"),
            (kcv + "00", 65, "6, 8 or 10 hex digits"), ("hello!", 65, "6, 8 or 10 hex digits"),
            (kcv.dropLast(2) + "00", 1, "another check value"),
            (zeros.dropLast() + "0", 1, "another check value"), (zeros + "0000", 1, "another"),
        ] {
            let refused = try await confirm(entered, "pek", of: bank, as: "bob")
            #expect(refused.status == status && refused.stderr.contains(text), "\(entered): \(refused.stderr)")
        }
        // Whoever enters a component by mistake does not make it known.
        let mistaken = try await confirm(one, "pek", of: bank, as: "bob")
        #expect(mistaken.status == 65 && !(mistaken.stdout + mistaken.stderr).contains(one))
        #expect(try await sql("SELECT count(*) FROM audit_entry WHERE audit_entry::text LIKE '%\(one)%'") == ["0"])
        for entered in [String(kcv.prefix(6)), String(kcv.prefix(8)), zeros] {
            try await confirm(entered, "pek", of: bank, as: "bob").succeeded()
            #expect(try await list(bank).first?["kcv"]?.string == kcv)
            try await run(["key", "disable", "--bank", bank, "pek"]).succeeded()
            try await run(["key", "remove", "--bank", bank, "pek"]).succeeded()
            _ = try await enterBoth()
        }
    }

    private static let kcvOfOne = "60273332D6"
    private static let kcvOfBoth = "1D350FABC4"

    @Test(
        "Each kind of key can be entered in two or three components",
        arguments: [
            (["--usage", "pin-encryption", "--algorithm", "tdes", "--direction", "encrypt"], 16, 6, 2),
            (["--usage", "pin-encryption", "--algorithm", "tdes"], 24, 6, 3),
            (["--usage", "key-block", "--algorithm", "aes", "--direction", "both"], 32, 10, 3),
            (["--usage", "key-block", "--algorithm", "tdes"], 24, 6, 2), (["--usage", "distribution"], 32, 6, 2),
            (["--usage", "definition"], 64, 6, 3),
        ])
    func kinds(options: [String], byteCount: Int, kcvLength: Int, count: Int) async throws {
        let bank = try await makeBank()
        var kcv = ""
        for _ in 0..<count {
            let hex = Hex.encode(random(byteCount))
            let entered = try await enter(hex, of: count, into: bank, options + ["--json"]).succeeded()
            kcv = try JSON(parsing: entered.stdout).object?["kcv"]?.string ?? ""
        }
        #expect(kcv.count == kcvLength)
        // Without --label, the usage is the label.
        try await confirm(kcv, options[1], of: bank, as: "bob").succeeded()
        let key = try #require(try await list(bank).first)
        #expect(key["kcv"]?.string == kcv && key["usage"]?.string == options[1] && key["status"] == "ACTIVE")
    }

    @Test("The check values are those of psec's library", .enabled(if: PythonOracle.isAvailable))
    func checkValues() async throws {
        let bank = try await makeBank()
        let entered = try await enter(Self.one, into: bank, Self.pinKey).succeeded()
        let theirs = try await PythonOracle(script: "../../Keys/KeyBlocksTests/Oracles/psec_oracle.py").ask(
            "check_value", ["key": Self.one, "algorithm": "aes"])
        #expect(entered.stdout.contains(try #require(theirs["kcv"])))
    }

    @Test(
        "Components that nobody would draw are refused",
        arguments: [
            "00000000000000000000000000000000", "ABABABABABABABABABABABABABABABAB", "0123456789ABCDEF", "", "hello",
            "0123456789ABCDEFFEDCBA987654321", "0123456789ABCDEFFEDCBA98765432100123456789ABCDEFFEDCBA987654321011",
        ])
    func badComponents(hex: String) async throws {
        let bank = try await makeBank()
        let refused = try await enter(hex, into: bank)
        #expect(refused.status == 65, "\(refused.stderr)")
        #expect(try await list(bank).isEmpty)
    }

    @Test("A component that does not fit the others is refused, and those stay")
    func unfitComponents() async throws {
        let bank = try await makeBank()
        try await enter(Self.one, of: 3, into: bank).succeeded()
        let again = try await enter(Self.one, of: 3, into: bank, as: "bob")
        #expect(again.status == 65 && again.stderr.contains("same component"))
        let longer = try await enter(Self.two + "0123456789ABCDEF", of: 3, into: bank, as: "bob")
        #expect(longer.status == 65 && longer.stderr.contains("24 bytes"))
        try await enter(Self.two, of: 3, into: bank, as: "bob").succeeded()
        // The XOR of the two others: the key would be zero.
        let sum = zip(try #require(Hex.decode(Self.one)), try #require(Hex.decode(Self.two))).map(^)
        let weak = try await enter(Hex.encode(sum), of: 3, into: bank, as: "carol")
        #expect(weak.status == 65 && weak.stderr.contains("weak"))
        #expect(try await list(bank).first?["enteredComponents"] == 2)
    }

    @Test(
        "A custodian with other options is refused",
        arguments: [
            (["--usage", "pin-encryption", "--algorithm", "tdes"], 2),
            (["--usage", "key-block", "--algorithm", "aes"], 2),
            (["--usage", "pin-encryption", "--algorithm", "aes", "--direction", "both"], 2), (pinKey, 3),
        ])
    func otherOptions(options: [String], count: Int) async throws {
        let bank = try await makeBank()
        try await enter(Self.one, into: bank, Self.pinKey + ["--label", "key"]).succeeded()
        let refused = try await enter(Self.two, of: count, into: bank, as: "bob", options + ["--label", "key"])
        #expect(refused.status == 1 && refused.stderr.contains("the same options"))
    }

    @Test("The same key is refused again: for another bank or usage, as another algorithm, and while it is disabled")
    func duplicates() async throws {
        let (bank, other) = (try await makeBank(), try await makeBank())
        let installation = try await Self.installation.value
        let key = random(24)
        try await installation.importKey(
            key, label: "first", into: bank, ["--usage", "pin-encryption", "--algorithm", "tdes"])
        try await run(["key", "disable", "--bank", bank, "first"]).succeeded()
        for (bank, label, options) in [
            (bank, "second", ["--usage", "pin-encryption", "--algorithm", "tdes"]),
            (other, "first", ["--usage", "key-block", "--algorithm", "tdes"]),
            (other, "first", ["--usage", "pin-encryption", "--algorithm", "aes"]),
            (other, "first", ["--usage", "distribution"]),
        ] {
            let error = await #expect(throws: (any Error).self, "\(options)") {
                try await installation.importKey(key, label: label, into: bank, options)
            }
            #expect("\(try #require(error))".contains("was imported before"))
            try await run(["key", "remove", "--bank", bank, label]).succeeded()
        }
        // For Triple DES the parity does not count.
        let error = await #expect(throws: (any Error).self) {
            try await installation.importKey(
                key.map { $0 ^ 1 }, label: "second", into: bank, ["--usage", "pin-encryption", "--algorithm", "tdes"])
        }
        #expect("\(try #require(error))".contains("was imported before"))
        let file = try TestFolder.shared.write(Hex.encode(key), named: "key.hex")
        let hmac = try await run([
            "key", "import-hmac", "--bank", other, "--usage", "both", "--hex-file", file, "--label", "third",
        ])
        #expect(hmac.status == 1 && hmac.stderr.contains("was imported before"))

        try await run(["key", "remove", "--bank", bank, "first"]).succeeded()
        try await installation.importKey(key, label: "first", into: other, ["--usage", "distribution"])
        try await installation.importKey(random(16), label: "first", into: bank, Self.pinKey)
    }

    @Test("A label is used once, by a key of any kind")
    func labels() async throws {
        let bank = try await makeBank()
        let installation = try await Self.installation.value
        try await installation.importKey(random(16), label: "key", into: bank, Self.pinKey)
        let taken = try await enter(Self.one, into: bank, ["--usage", "distribution", "--label", "key"])
        #expect(taken.status == 1 && taken.stderr.contains("already has a key 'key'"))
        let file = try TestFolder.shared.write(Hex.encode(random(32)), named: "key.hex")
        let hmac = try await run([
            "key", "import-hmac", "--bank", bank, "--usage", "both", "--hex-file", file, "--label", "key",
        ])
        #expect(hmac.status == 1 && hmac.stderr.contains("already has a key 'key'"))
        #expect(try await run(["key", "list", "--bank", bank]).succeeded().stdout.split(separator: "\n").count == 2)
    }

    @Test("Components expire after a day, and housekeeping erases them")
    func expiry() async throws {
        let (bank, other) = (try await makeBank(), try await makeBank())
        for bank in [bank, other] {
            try await enter(Self.one, into: bank).succeeded()
            let rest = try await sql(
                "SELECT expires_at - now() BETWEEN '23 h 59 min' AND '24 h' FROM key_import WHERE bank_id = '\(bank)'")
            #expect(rest == ["t"])
            _ = try await sql("UPDATE key_import SET expires_at = now() WHERE bank_id = '\(bank)'; SELECT 1")
        }
        #expect(try await list(bank).isEmpty)
        let late = try await confirm("0000000000", "pin-encryption", of: bank, as: "bob")
        #expect(late.status == 1 && late.stderr.contains("no components"))
        // An expired import is in nobody's way.
        let again = try await enter(Self.two, into: bank, as: "bob").succeeded()
        #expect(again.stdout.contains("component 1 of 2"))
        let server = try await Self.installation.value.startServer(["--housekeeping-interval-seconds", "1"])
        try await eventually("the components are erased") {
            try await sql("SELECT count(*) FROM key_component WHERE bank_id = '\(other)'") == ["0"]
        }
        #expect(try await list(bank).count == 1)
        _ = try await server.stop()
    }

    @Test("An import can be given up")
    func givingUp() async throws {
        let bank = try await makeBank()
        try await enter(Self.one, into: bank).succeeded()
        try await run(["key", "remove", "--bank", bank, "pin-encryption"]).succeeded()
        #expect(try await list(bank).isEmpty)
        #expect(try await sql("SELECT count(*) FROM key_component WHERE bank_id = '\(bank)'") == ["0"])
    }

    @Test("A component is sealed for its place, and does not open in another one")
    func movedComponent() async throws {
        let bank = try await makeBank()
        for component in [Self.one, Self.two] { try await enter(component, of: 3, into: bank).succeeded() }
        _ = try await sql(
            """
            UPDATE key_component SET sealed_component = (
                SELECT sealed_component FROM key_component WHERE bank_id = '\(bank)' AND number = 1
            ) WHERE bank_id = '\(bank)' AND number = 2; SELECT 1
            """)
        #expect(try await enter("A0B1C2D3E4F5061728394A5B6C7D8E90", of: 3, into: bank).status == 78)
    }

    @Test("Keys of all kinds are disabled, enabled and erased")
    func states() async throws {
        let bank = try await makeBank()
        let installation = try await Self.installation.value
        try await installation.importKey(random(16), label: "pin", into: bank, Self.pinKey)
        try await installation.importKey(random(32), label: "hmac", into: bank, ["--usage", "distribution"])
        for label in ["pin", "hmac"] {
            #expect(try await run(["key", "remove", "--bank", bank, label]).status == 66)
            try await run(["key", "disable", "--bank", bank, label]).succeeded()
            #expect(try await list(bank).first { $0["label"]?.string == label }?["status"] == "DISABLED")
            try await run(["key", "enable", "--bank", bank, label]).succeeded()
            #expect(try await list(bank).first { $0["label"]?.string == label }?["status"] == "ACTIVE")
            try await run(["key", "disable", "--bank", bank, label]).succeeded()
            try await run(["key", "remove", "--bank", bank, label]).succeeded()
        }
        #expect(try await list(bank).isEmpty)
        #expect(try await run(["key", "disable", "--bank", bank, "pin"]).status == 66)
    }

    @Test("Options that do not belong together are refused")
    func options() async throws {
        let bank = try await makeBank()
        for (options, status) in [
            ([], 64), (["--components", "2", "--tr31", "D"], 64), (["--tr31", "D", "--tr31-file", "f"], 64),
            (["--tr31", "D"], 64), (["--components", "1"], 64), (["--components", "4"], 64),
            (["--components", "2", "--under", "k"], 64), (["--components", "2", "--accept-k0"], 64),
            (["--tr31", "D", "--under", "k", "--algorithm", "aes"], 64),
        ] {
            let refused = try await run(["key", "import", "--bank", bank, "--usage", "pin-encryption"] + options)
            #expect(refused.status == status, "\(options): \(refused.stderr)")
        }
        for options in [
            ["--usage", "pin-encryption"], ["--usage", "pin-encryption", "--algorithm", "hmac"],
            ["--usage", "distribution", "--algorithm", "aes"], ["--usage", "definition", "--direction", "both"],
        ] {
            #expect(try await enter(Self.one, into: bank, options).status == 65, "\(options)")
        }
        #expect(try await enter(Self.one, into: "nobody").status == 66)
        let noFile = try await run(
            ["key", "import", "--bank", bank, "--components", "2", "--component-file", "/nowhere"] + Self.pinKey)
        #expect(noFile.status == 66)
    }
}
