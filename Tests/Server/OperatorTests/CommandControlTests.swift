import CardCompanion
import EMRTDSimulation
import Foundation
import ServerHarness
import Testing

@Suite("Commands and the number of operators")
struct CommandControlTests {
    private struct Dump: Decodable {
        struct Command: Decodable {
            let commandName: String
            let subcommands: [Command]?
        }

        let command: Command
    }

    @Test("The table says of every command how many operators it needs")
    func complete() async throws {
        let json = try await TestCommand.run(CardCompanionBinary.path, ["--experimental-dump-help"]).succeeded().stdout
        let root = try JSONDecoder().decode(Dump.self, from: Data(json.utf8)).command
        let commands = Self.leaves(of: root, under: "")
        #expect(commands.count > 50)
        let (found, known) = (Set(commands), Set(CommandControl.table.keys))
        #expect(found.subtracting(known).isEmpty, "not in the table")
        #expect(known.subtracting(found).isEmpty, "not a command")
    }

    private static func leaves(of command: Dump.Command, under path: String) -> [String] {
        let children = (command.subcommands ?? []).filter { $0.commandName != "help" }
        return children.flatMap { child in
            let name = path.isEmpty ? child.commandName : "\(path) \(child.commandName)"
            return (child.subcommands ?? []).isEmpty ? [name] : leaves(of: child, under: name)
        }
    }

    @Test("Every command that needs two operators refuses one", arguments: dualCommands)
    func dual(_ command: String, _ arguments: [String]) async throws {
        let installation = try await Self.installation.value
        let files = try await Self.files.value
        let result = try await installation.run(
            command.split(separator: " ").map(String.init) + arguments.map { files[$0] ?? $0 })
        #expect(result.status == 65, "\(result.stderr)")
        #expect(result.stderr.contains("this change needs two operators"), "\(result.stderr)")
    }

    @Test("There is a test for each command that needs two operators")
    func testedAll() {
        let dual = CommandControl.table.filter { $0.value == .dual || $0.value == .dualUnlessTightening }.keys
        #expect(Set(dual) == Set(Self.dualCommands.map(\.0)))
    }

    private static let bank = "DUALBANK"
    private static let hash = Unique.key(byteCount: 32)

    /// An installation under dual control with a bank that has one of each kind.
    private static let installation = Once {
        let installation = try await TestInstallation()
        let operators = try await TestOperators()
        _ = try await installation.makeBank(id: bank)
        let early = try await installation.run(["vault", "init", "--dual-control"] + operators.first())
        #expect(early.stderr.contains("there are banks already"))
        try await installation.run(["vault", "init"] + operators.first()).succeeded()
        try await installation.runWithTwo(["operator", "dual-control", "on"], of: operators)
        return installation
    }

    /// Files that commands name.
    private static let files = Once {
        let authority = try await TestAuthority.shared.value
        let operators = try await TestOperators(["carol"])
        let now = Int64(Date().timeIntervalSince1970)
        let state = try SimulatedIssuer(at: now)
        func write(_ bytes: [UInt8], _ name: String) throws -> String {
            let path = TestFolder.shared.unused(name)
            try Data(bytes).write(to: URL(fileURLWithPath: path))
            return path
        }
        return [
            "@root": try write(state.certificate, "root.cer"),
            "@list": try write(try state.masterList(of: [state.certificate], signingTime: now - 60), "list.ml"),
            "@certificate": authority.otherSigner.certificateFile, "@ca": authority.certificateFile,
            "@public-key": operators.publicKey(of: "carol"),
            "@hmac": try TestFolder.shared.write(Unique.key(byteCount: 32), named: "hmac"),
        ]
    }

    /// A key block of version D for an HMAC key, as X9.143 has it in its form.
    private static let keyBlock =
        "D0112M7HC00E0000" + String(repeating: "4", count: 64) + String(repeating: "A", count: 32)

    private static let dualCommands: [(String, [String])] = [
        ("bank add", ["OTHER", "--scheme", "CB"]),
        ("bank set", [bank, "--retry-limit", "9"]),
        ("bank remove", [bank, "--confirm", bank]),
        ("key import", ["--bank", bank, "--usage", "distribution", "--tr31", keyBlock, "--under", "kbpk"]),
        ("key confirm", ["--bank", bank, "--kcv", "0A1B2C3D4E", "kbpk"]),
        ("key import-hmac", ["--bank", bank, "--usage", "definition", "--hex-file", "@hmac"]),
        ("key enable", ["--bank", bank, TestBank.hmacLabel]),
        ("certificate import", ["--bank", bank, "--alias", "next", "--ca", "@ca", "@certificate"]),
        ("certificate default", ["--bank", bank, "--alias", TestBank.certificateAlias]),
        ("certificate remove-crl", ["--bank", bank, "--issuer", "CN=Test CA"]),
        ("certificate enable", ["--bank", bank, TestBank.certificateAlias]),
        ("cardholder release-pan", ["--bank", bank, "any"]),
        ("server-key rotate", []),
        ("server-key retire", ["kid"]),
        (
            "issuer-key add",
            ["--bank", bank, "--key-id", "next", "--algorithm", "ed25519", "--public-key", "@public-key"]
        ),
        ("issuer-key enable", ["--bank", bank, "any"]),
        ("vault init", ["--recovery-component-file", "/nowhere/1", "--recovery-component-file", "/nowhere/2"]),
        ("vault rewrap", ["--from-file", "/nowhere/vault.key"]),
        ("vault rotate", []),
        ("vault recover", ["--component-file", "/nowhere/1"]),
        ("vault rotate-data-key", []),
        ("vault retire-data-key", ["1"]),
        ("vault set-data-key", ["1", "--state", "disabled"]),
        ("webhook set", ["--bank", bank, "--allow-private", "http://127.0.0.1:9/hook"]),
        ("document-client add", ["--bank", bank]),
        ("document-client enable", ["--bank", bank, "any"]),
        ("csca import", ["--root", "@root", "@list"]),
        ("csca remove", []),
        ("inventory accept", ["--lost", "2:\(hash)", "--found", "1:\(hash)", "--reason", "restored"]),
        ("operator add", ["carol", "--public-key", "@public-key"]),
        ("operator remove", ["bob"]),
        ("operator dual-control", ["off"]),
    ]
}
