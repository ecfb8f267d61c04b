import Foundation
import ServerHarness
import Testing

/// Mistakes that operators make: each message says what is wrong, where, and what to do.
@Suite("Mistakes of operators")
struct MistakeTests {
    private static let installation = Once { try await TestInstallation() }

    private func complaint(
        _ arguments: [String], environment: [String: String] = [:]
    ) async throws -> (status: Int, text: String) {
        let result = try await TestCommand.run(CardCompanionBinary.path, arguments, environment: environment)
        return (Int(result.status), result.stderr)
    }

    @Test("A configuration file that is missing, no JSON, or has a misspelt setting")
    func configuration() async throws {
        let missing = TestFolder.shared.unused("nosuch.json")
        let broken = try TestFolder.shared.write("{\n  \"http\": {\"port\": 8080,}\n}", named: "broken.json")
        let misspelt = try TestFolder.shared.write(#"{"http": {"prot": 8443}}"#, named: "misspelt.json")
        let strange = try TestFolder.shared.write(#"{"something": {"else": 1}}"#, named: "strange.json")
        for (file, text) in [
            (missing, "the configuration file \(missing): No such file or directory"),
            ("/etc", "the configuration file /etc: Is a directory"),
            (broken, "the configuration file \(broken) is no JSON object: unexpected byte in line 2, column 25"),
            (misspelt, "sets http.prot, but there is no such setting: did you mean http.port?"),
            (strange, "sets something.else, but there is no such setting\n"),
        ] {
            let (status, found) = try await complaint(["check-config", "--config", file])
            #expect(status == 78 && found.contains(text), "\(found)")
            #expect(!found.contains("NSCocoaError"))
        }
    }

    @Test("A folder without a database, which no command but serve and migrate makes")
    func wrongFolder() async throws {
        let folder = TestFolder.shared.unused("data")
        for arguments in [["bank", "list"], ["vault", "init"], ["audit", "verify"]] {
            let (status, text) = try await complaint(arguments + ["--data-directory", folder])
            #expect(status == 66 && text.contains("there is no database in \(folder)"), "\(text)")
            #expect(text.contains("--data-directory") && text.contains("'card-companion migrate'"))
            #expect(!FileManager.default.fileExists(atPath: folder))
        }
    }

    @Test("Root in the folder of the service's user", .enabled(if: geteuid() == 0, "needs root"))
    func root() async throws {
        let folder = TestFolder.shared.unused("data")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let user = try #require(getpwnam("nobody")).pointee
        #expect(chown(folder, user.pw_uid, user.pw_gid) == 0)
        for arguments in [["migrate"], ["serve", "--http-port", "0"]] {
            let (status, text) = try await complaint(arguments + ["--data-directory", folder])
            #expect(status == 1 && text.contains("belongs to the user nobody"), "\(text)")
            #expect(text.contains("'sudo -u nobody card-companion …'"))
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [])
        // The schema of an operator's database can be migrated by anyone who has its URL.
        let installation = try await TestInstallation()
        let url = ["--database-url", installation.ownerURL, "--data-directory", folder]
        #expect(try await complaint(["migrate"] + url).status == 0)
        #expect(try await complaint(["bank", "list"] + url).status == 1)
    }

    @Test("A database URL that is none, and an empty database")
    func database() async throws {
        let (status, text) = try await complaint(["bank", "list", "--database-url", "db1/cards"])
        #expect(status == 78 && text.contains("it must look like postgresql://USER@HOST/DATABASE"), "\(text)")
        #expect(!text.contains("invalidConfiguration"))
        let installation = try await TestInstallation()
        try await installation.sql("DROP SCHEMA card_companion CASCADE")
        let empty = try await installation.run(["bank", "list"])
        #expect(
            empty.status == 78 && empty.stderr.contains("the database is empty: run 'card-companion migrate'"),
            "\(empty)")
    }

    @Test("A key block that is empty, one of which a line is missing, and a key of a payShield that is none")
    func keyBlocks() async throws {
        let installation = try await Self.installation.value
        let bank = Unique.name("bank")
        try await installation.run(["bank", "add", bank, "--scheme", "PCI-CPP"]).succeeded()
        for (contents, text) in [
            ("\n", "there is no key block: the text is empty"),
            ("D0112P0AE00E0000\nAAAA", "key block length: it says 112, but the block has 20 characters"),
            ("U6F5C1D0E8B7A9F3E2D4C6B8A7F9E1D3C", "it is a key of a payShield in key scheme U, not a key block"),
        ] {
            let file = try TestFolder.shared.write(contents, named: "block")
            let result = try await installation.run([
                "key", "import", "--bank", bank, "--usage", "pin-encryption", "--tr31-file", file, "--under", "kbpk",
            ])
            #expect(result.status == 65 && result.stderr.contains(text), "\(result.stderr)")
        }
    }

    @Test("A key for defined PINs that the bank does not have, or that cannot do it")
    func definedPINKey() async throws {
        let installation = try await Self.installation.value
        let bank = Unique.name("bank")
        try await installation.run(["bank", "add", bank, "--scheme", "PCI-CPP"]).succeeded()
        try await installation.importKey(
            (0..<16).map { _ in UInt8.random(in: .min ... .max) }, label: "aes", into: bank,
            ["--usage", "pin-encryption", "--algorithm", "aes"])
        for label in ["nope", "aes"] {
            let set = try await installation.run([
                "bank", "set", bank, "--defined-pin-key", label, "--pin-blocks", "iso-1",
            ])
            #expect(set.status == 1 && set.stderr.contains("the bank has no active key '\(label)' of usage"), "\(set)")
        }
    }

    @Test("'bank check' says what a bank lacks, and what to do")
    func bankCheck() async throws {
        let installation = try await Self.installation.value
        let id = Unique.name("bank")
        try await installation.run(["bank", "add", id, "--scheme", "PCI-CPP"]).succeeded()
        let empty = try await installation.run(["bank", "check", id])
        #expect(empty.status == 1)
        for text in [
            "apps can fetch no PIN: the bank has neither an HMAC key nor a valid signature certificate",
            "apps can define no PIN: the bank has neither an HMAC key for it nor a valid signature certificate",
            "nobody can choose a PIN: with --defined-pins deliver the bank needs a valid encryption certificate",
            "the bank's back-end cannot call",
            "do: import one with 'card-companion key import-hmac --usage distribution'",
        ] { #expect(empty.stdout.contains(text), "\(empty.stdout)") }
        let bank = try await installation.makeBank(["--defined-pins", "keep"])
        _ = try await installation.makeIssuer(for: bank)
        let ready = try await installation.run(["bank", "check", bank.id])
        #expect(ready.status == 0 && ready.stdout.contains("apps can define PINs with"), "\(ready)")
        #expect(try await installation.run(["bank", "check", "nobody"]).status == 66)
    }

    @Test("--help has the commands in groups")
    func help() async throws {
        let help = try await TestCommand.run(CardCompanionBinary.path, ["--help"]).succeeded().stdout
        for group in ["SERVER", "BANK", "DOCUMENT", "VAULT AND AUDIT", "INTEGRATOR"] {
            #expect(help.contains("\(group) SUBCOMMANDS:"), "\(help)")
        }
    }
}
