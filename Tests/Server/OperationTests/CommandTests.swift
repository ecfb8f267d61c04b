import Crypto
import Foundation
import ServerHarness
import Testing

@Suite("Admin commands")
struct CommandTests {
    private static let installation = Once { try await TestInstallation() }

    private func run(_ arguments: String...) async throws -> CommandResult { try await run(arguments) }

    private func run(_ arguments: [String]) async throws -> CommandResult {
        try await Self.installation.value.run(arguments)
    }

    private func makeBank() async throws -> String {
        let id = "bank-\(UUID().uuidString.prefix(8))"
        _ = try await run("bank", "add", id, "--scheme", "PCI-CPP").succeeded()
        return id
    }

    @Test("The version is that of the newest release in CHANGELOG.md, and of openapi.yaml")
    func version() async throws {
        let root = URL(filePath: #filePath).appending(path: "../../../..").standardizedFileURL
        func text(_ file: String) throws -> String {
            try String(contentsOf: root.appending(path: file), encoding: .utf8)
        }
        let version = try await TestCommand.run(CardCompanionBinary.path, ["--version"]).succeeded().stdout
            .trimmingCharacters(in: .whitespacesAndNewlines)
        #expect(try text("CHANGELOG.md").firstMatch(of: #/## \[([0-9.]+)\] - /#)?.1 == Substring(version))
        #expect(try text("openapi.yaml").firstMatch(of: #/\n  version: (.+)/#)?.1 == Substring(version))
    }

    @Test(
        "The help of every command contains an example to paste, and no line of its text is broken twice",
        arguments: [
            ["serve"], ["doctor"], ["status"], ["migrate"], ["check-config"], ["bank", "add"],
            ["bank", "set"],
            ["bank", "show"],
            ["bank", "list"], ["bank", "remove"], ["cardholder", "list"], ["events", "list"], ["webhook", "test"],
            ["database", "restored"], ["bank", "check"], ["issuer-key", "add"],
            ["issuer-key", "list"],
            ["document-client", "add"], ["csca", "import"], ["webhook", "set"],
            ["key", "import"], ["key", "confirm"], ["key", "import-hmac"], ["key", "list"],
            ["key", "enable"], ["key", "disable"], ["key", "remove"],
            ["certificate", "import"], ["certificate", "import-crl"], ["certificate", "list-crls"],
            ["certificate", "remove-crl"],
            ["certificate", "list"], ["certificate", "disable"], ["cardholder", "import"], ["cardholder", "show"],
            ["cardholder", "unlock"], ["cardholder", "set-status"], ["server-key", "list"], ["server-key", "rotate"],
            ["server-key", "retire"], ["explain", "hmac"], ["explain", "token"], ["explain", "signature"],
            ["explain", "jwe"], ["vault", "status"], ["vault", "rotate-data-key"], ["vault", "retire-data-key"],
            ["vault", "init"], ["vault", "unseal"], ["vault", "rewrap"], ["vault", "rotate"], ["vault", "recover"],
            ["vault", "set-data-key"], ["audit", "show"], ["audit", "export"], ["audit", "verify"],
            ["audit", "close"], ["audit", "keys"], ["audit", "new-epoch"], ["inventory", "show"],
            ["inventory", "servers"], ["inventory", "accept"], ["operator", "make-key"],
            ["operator", "list"],
            ["operator", "add"],
            ["operator", "remove"], ["operator", "dual-control"], ["approve"],
        ])
    func help(command: [String]) async throws {
        let installation = try await Self.installation.value.with(environment: ["COLUMNS": "\(Self.columns)"])
        let help = try await installation.run(command + ["--help"]).succeeded().stdout
        let paragraphs = help.split(separator: "\n\n").map { $0.split(separator: "\n").map(String.init) }
        let examples = try #require(paragraphs.first { $0[0].hasPrefix("EXAMPLE") })
        // What somebody pastes is whole: no line is wrapped where the shell does not expect it.
        #expect(examples.dropFirst().allSatisfy { $0.hasPrefix("  ") && $0.count < Self.columns }, "\(examples)")
        for paragraph in paragraphs.prefix(while: { !$0[0].hasPrefix("USAGE") }) {
            for (line, next) in zip(paragraph, paragraph.dropFirst()) where !line.hasPrefix("EXAMPLE") {
                let beginsItem = next.hasPrefix(" ") || next.hasPrefix("- ")
                let word = next.prefix { $0 != " " }
                #expect(beginsItem || line.count + 1 + word.count > Self.columns - 2, "\(paragraph)")
            }
        }
    }

    /// The width of a terminal, in characters.
    private static let columns = 80

    @Test("A bank is added once, changed, and shown as JSON")
    func bank() async throws {
        let id = try await makeBank()
        #expect(try await run("bank", "add", id, "--scheme", "CB").status == 1)
        _ = try await run("bank", "set", id, "--retry-limit", "5", "--retention", "keep").succeeded()
        let shown = try await run("bank", "show", id, "--json").succeeded().stdout
        let members = try #require(try JSONSerialization.jsonObject(with: Data(shown.utf8)) as? [String: Any])
        #expect(members["retryLimit"] as? Int == 5)
        #expect(members["retention"] as? String == "keep")
        #expect(try await run("bank", "show", "nobody").status == 66)
    }

    @Test(
        "A setting outside its limits is refused, and the message states the limits",
        arguments: [
            ("--retry-limit", "0"), ("--timestamp-tolerance", "3601"), ("--pin-maximum-length", "13"),
            ("--code-minimum-length", "3"), ("--session-lifetime", "1"), ("--definitions-per-day", "101"),
        ])
    func limits(option: String, value: String) async throws {
        let id = try await makeBank()
        let result = try await run("bank", "set", id, option, value)
        #expect(result.status == 65)
        #expect(result.stderr.contains("\(option) must be between"))
    }

    @Test("After an import of an HMAC key in hex, only its KCV is shown")
    func hmacKey() async throws {
        let id = try await makeBank()
        let key = SymmetricKey(size: .bits256)
        let hex = key.withUnsafeBytes { $0.map { String(format: "%02x", $0) }.joined() }
        let file = try TestFolder.shared.write(hex + "\n", named: "key.hex")
        let code = HMAC<SHA256>.authenticationCode(for: Data(), using: key)
        let kcv = code.prefix(3).map { String(format: "%02X", $0) }.joined()
        let command = ["key", "import-hmac", "--usage", "distribution", "--hex-file"]
        let imported = try await run(command + [file, "--bank", id]).succeeded()
        let listed = try await run("key", "list", "--bank", id).succeeded()
        for text in [imported.stdout, listed.stdout] {
            #expect(text.contains(kcv))
            #expect(!text.lowercased().contains(hex))
        }
        #expect(!imported.stderr.contains("warning"))
        #expect(try await run(command + [file, "--bank", id]).status == 1)
        let short = try TestFolder.shared.write("00112233", named: "key.hex")
        #expect(try await run(command + [short, "--bank", id]).status == 65)
        // HMAC's keys of zeros are all the empty key.
        for guessed in [String(repeating: "00", count: 32), String(repeating: "ff", count: 16), "\(hex)\(hex)"] {
            let file = try TestFolder.shared.write(guessed, named: "key.hex")
            let refused = try await run(command + [file, "--bank", id])
            #expect(refused.status == 65 && refused.stderr.contains("openssl rand -hex 32"), "\(refused.stderr)")
        }
        let open = try TestFolder.shared.write(Unique.key(byteCount: 32), named: "key.hex")
        #expect(chmod(open, 0o640) == 0)
        let refused = try await run(command + [open, "--bank", id])
        #expect(refused.status == 1 && refused.stderr.contains("'chmod 600 \(open)'"), "\(refused.stderr)")
        #expect(try await run(command + [file, "--bank", "nobody"]).status == 66)
    }

    @Test("An HMAC key needs a usage; with 'both' the command warns")
    func hmacKeyUsage() async throws {
        let id = try await makeBank()
        let file = try TestFolder.shared.write(Unique.key(byteCount: 20), named: "key.hex")
        let command = ["key", "import-hmac", "--bank", id, "--hex-file", file]
        let missing = try await run(command)
        #expect(missing.status == 64)
        #expect(missing.stderr.contains("--usage"))
        #expect(try await run(command + ["--usage", "all"]).status == 64)
        let both = try await run(command + ["--usage", "both"]).succeeded()
        #expect(both.stderr.contains("can also define a PIN"))
        #expect(try await run("key", "list", "--bank", id, "--json").stdout.contains(#""usage":"both""#))
        let ofAll = try await run("key", "list").succeeded().stdout.split(separator: "\n")
        #expect(ofAll.first?.hasPrefix("BANK ") == true)
        #expect(ofAll.contains { $0.hasPrefix("\(id) ") && $0.contains(" both ") })
        #expect(try await run("key", "list", "--json").stdout.contains(#""bank":"\#(id)""#))
    }

    @Test(
        "The same HMAC key is refused a second time: under another label, for another usage, or at another bank",
        arguments: [32, 80])
    func sameKey(byteCount: Int) async throws {
        let (id, other) = (try await makeBank(), try await makeBank())
        let key = (0..<byteCount).map { _ in UInt8.random(in: .min ... .max) }
        // HMAC fills a short key with zeros and hashes a long one (RFC 2104), so these two are the same.
        let equal = byteCount > 64 ? Array(SHA256.hash(data: key)) : key + [0, 0]
        func add(_ key: [UInt8], _ label: String, _ usage: String, to bank: String) async throws -> CommandResult {
            let hex = key.map { String(format: "%02x", $0) }.joined()
            let file = try TestFolder.shared.write(hex, named: "key.hex")
            return try await run(
                "key", "import-hmac", "--bank", bank, "--label", label, "--usage", usage, "--hex-file", file)
        }
        try await add(key, "first", "distribution", to: id).succeeded()
        for (bytes, label, usage, bank) in [
            (key, "second", "distribution", id), (key, "second", "definition", id),
            (key, "first", "distribution", other),
            (equal, "second", "distribution", id), (equal, "first", "definition", other),
        ] {
            let refused = try await add(bytes, label, usage, to: bank)
            #expect(refused.status == 1)
            #expect(refused.stderr.contains("was imported before"))
        }
        #expect(try await run("key", "list", "--bank", other).stdout == "none\n")

        // A key that was imported by mistake can be erased, once it is disabled.
        #expect(try await run("key", "remove", "--bank", id, "first").status == 66)
        try await run("key", "disable", "--bank", id, "first").succeeded()
        try await run("key", "remove", "--bank", id, "first").succeeded()
        #expect(try await run("key", "list", "--bank", id).stdout == "none\n")
        try await add(key, "first", "definition", to: other).succeeded()
    }

    @Test("Of many imports of the same HMAC key at once, one succeeds and the others say why not")
    func sameKeyAtOnce() async throws {
        let id = try await makeBank()
        let file = try TestFolder.shared.write(Unique.key(byteCount: 24), named: "key.hex")
        let results = try await withThrowingTaskGroup(of: CommandResult.self) { group in
            for label in 0..<8 {
                group.addTask {
                    try await run([
                        "key", "import-hmac", "--bank", id, "--label", "label-\(label)", "--usage", "both",
                        "--hex-file", file,
                    ])
                }
            }
            return try await group.reduce(into: [CommandResult]()) { $0.append($1) }
        }
        #expect(results.map(\.status).sorted() == [0, 1, 1, 1, 1, 1, 1, 1])
        #expect(results.filter { $0.status == 1 }.allSatisfy { $0.stderr.contains("was imported before") })
    }

    @Test("Invalid lines of an import are listed with their numbers, and all other lines are imported")
    func badLines() async throws {
        let id = try await makeBank()
        let lines = [
            #"{"uniqueId":"one"}"#, "not json", #"{"uniqueId":"4111111111111111"}"#, "",
            #"{"uniqueId":"two","status":"GONE"}"#, #"{"uniqueId":"three","channels":["AC"]}"#,
            #"{"uniqueId":"one","uniqueId":"again"}"#,
        ]
        let file = try TestFolder.shared.write(lines.joined(separator: "\n"), named: "cardholders.ndjson")
        let result = try await run("cardholder", "import", "--bank", id, file)
        #expect(result.status == 65)
        #expect(result.stdout == "2 created, 0 replaced, 0 unchanged, 0 deleted, 4 refused\n")
        for line in [2, 3, 5, 7] { #expect(result.stderr.contains("line \(line): ")) }
        #expect(try await run("cardholder", "show", "--bank", id, "three").status == 0)
        #expect(try await run("cardholder", "show", "--bank", id, "two").status == 66)
    }

    @Test("A command leaves no core dump, from its start on")
    func coreDumps() async throws {
        let id = try await makeBank()
        let installation = try await Self.installation.value
        // The command waits for somebody who writes to its file while its limits are read.
        let script = """
            ulimit -c unlimited
            mkfifo "$1"
            "$0" cardholder import --bank \(id) "$1" & command=$!
            for _ in $(seq 1200); do
                grep -q 'Max core file size *0 *0' /proc/$command/limits && echo forbidden && break
                sleep 0.1
            done
            : > "$1"
            wait $command
            """
        let result = try await TestCommand.run(
            "sh", ["-c", script, CardCompanionBinary.path, TestFolder.shared.unused("fifo")],
            environment: ["DATABASE_URL": installation.databaseURL, "DATA_DIRECTORY": installation.dataDirectory]
        ).succeeded()
        #expect(result.stdout.contains("forbidden"))
    }

    @Test(
        "A command whose output cannot be written says so in one line, with status 74",
        arguments: [
            ["bank", "list"], ["bank", "list", "--json"], ["check-config"], ["audit", "export"], ["--version"],
        ])
    func fullDisk(arguments: [String]) async throws {
        _ = try await makeBank()
        let installation = try await Self.installation.value
        let result = try await TestCommand.run(
            "sh", ["-c", #""$0" "$@" > /dev/full"#, CardCompanionBinary.path] + arguments,
            environment: ["DATABASE_URL": installation.databaseURL, "DATA_DIRECTORY": installation.dataDirectory])
        #expect(result.status == 74, "\(result.stderr)")
        let lines = result.stderr.split(separator: "\n").filter { $0.hasPrefix("card-companion: ") }
        #expect(lines.count == 1 && lines[0].contains("cannot be written: No space left on device"), "\(result.stderr)")
    }

    @Test("A locked cardholder is shown as LOCKED, with the reason, until an unlock")
    func locked() async throws {
        let id = try await makeBank()
        let file = try TestFolder.shared.write(#"{"uniqueId":"one"}"#, named: "cardholders.ndjson")
        try await run("cardholder", "import", "--bank", id, file).succeeded()
        func shown() async throws -> String {
            try await run("cardholder", "show", "--bank", id, "one").succeeded().stdout
        }
        #expect(try await shown().contains(/locked +no/))
        let states = [
            ("authentication_failures = 3", "too many wrong codes"),
            ("unconfirmed_fetches = 5", "too many unconfirmed fetches"),
            (
                "authentication_failures = 4, unconfirmed_fetches = 6",
                "too many wrong codes and too many unconfirmed fetches"
            ),
        ]
        for (state, reason) in states {
            try await Self.installation.value.sql("UPDATE cardholder SET \(state) WHERE bank_id = '\(id)'")
            #expect(try await shown().contains("LOCKED: \(reason);"))
            try await run("cardholder", "unlock", "--bank", id, "one").succeeded()
            #expect(try await shown().contains(/locked +no/))
        }
    }

    @Test("A cardholder's status is set and shown as JSON")
    func status() async throws {
        let id = try await makeBank()
        let file = try TestFolder.shared.write(#"{"uniqueId":"one"}"#, named: "cardholders.ndjson")
        _ = try await run("cardholder", "import", "--bank", id, file).succeeded()
        let shown = try await run("cardholder", "set-status", "--bank", id, "one", "SUSPENDED", "--json").succeeded()
        #expect(shown.stdout.contains(#""status":"SUSPENDED""#))
    }
}
