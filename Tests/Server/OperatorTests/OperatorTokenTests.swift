import Foundation
import ServerHarness
import Testing

/// Operators whose private keys are on tokens.
@Suite("Operators' keys on tokens")
struct OperatorTokenTests {
    /// Two operators, each with a token of their own.
    private struct Fixture {
        let tokens: [String: TestVaultToken]
        let installation: TestInstallation
        private let folder = TestFolder.shared.unused("cards")

        init() async throws {
            let alice = try await TestVaultToken("alice")
            tokens = ["alice": alice, "bob": try await TestVaultToken("bob", beside: alice)]
            installation = try await TestInstallation(environment: alice.moduleEnvironment)
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            for name in ["alice", "bob"] {
                try await installation.run(
                    ["operator", "make-key", "--public-key", publicKey(of: name)] + (try options(of: name, prefix: ""))
                ).succeeded()
            }
            try await installation.run([
                "vault", "init", "--first-operator", "alice=\(publicKey(of: "alice"))", "--first-operator",
                "bob=\(publicKey(of: "bob"))", "--dual-control",
            ]).succeeded()
        }

        func publicKey(of name: String) -> String { "\(folder)/\(name).pub" }

        /// The options that name a token and its PIN.
        func options(of name: String, prefix: String = "operator-") throws -> [String] {
            let token = try #require(tokens[name])
            return [
                "--\(prefix)token", token.label, "--\(prefix)module", token.modulePath, "--\(prefix)pin-file",
                token.pinFile,
            ]
        }

        func propose(_ arguments: [String]) async throws -> String {
            let answer = try await installation.run(
                arguments + ["--operator", "alice", "--json"] + (try options(of: "alice"))
            ).succeeded().stdout
            return try #require(try JSON(parsing: answer).object?["waitsForApproval"]?.string)
        }
    }

    @Test("Two operators sign with their tokens, each only as themselves")
    func signing() async throws {
        let fixture = try await Fixture()
        let id = try await fixture.propose(["operator", "dual-control", "off"])
        let other = try await fixture.installation.run(
            ["approve", id, "--operator", "bob"] + (try fixture.options(of: "alice")))
        #expect(other.status != 0 && other.stderr.contains("does not have the key of operator 'bob'"))
        let approved = try await fixture.installation.run(
            ["approve", id, "--operator", "bob"] + (try fixture.options(of: "bob")))
        #expect(approved.status == 0, "\(approved)")
        let list = try await fixture.installation.run(["operator", "list"]).succeeded().stdout
        #expect(list.contains("dual control is off"))
    }

    @Test("The public key on the token is what OpenSSL reads, and the command can be repeated")
    func keys() async throws {
        let fixture = try await Fixture()
        let text = try await TestCommand.run(
            "openssl", ["pkey", "-pubin", "-in", fixture.publicKey(of: "alice"), "-noout", "-text"]
        ).succeeded().stdout
        #expect(text.contains("ED25519"))
        let copy = TestFolder.shared.unused("again")
        let again = try await fixture.installation.run(
            ["operator", "make-key", "--public-key", copy] + (try fixture.options(of: "alice", prefix: ""))
        ).succeeded()
        #expect(again.stderr.contains("already has an operator's key"))
        #expect(
            try String(contentsOfFile: copy, encoding: .utf8)
                == String(contentsOfFile: fixture.publicKey(of: "alice"), encoding: .utf8))
    }

    @Test("Options that do not fit together are refused with what to do")
    func options() async throws {
        let fixture = try await Fixture()
        let change = ["operator", "dual-control", "off", "--operator", "alice"]
        let both = try await fixture.installation.run(
            change + ["--operator-key", "x"] + (try fixture.options(of: "alice")))
        #expect(both.stderr.contains("either --operator-key or --operator-token"))
        let half = try await fixture.installation.run(change + ["--operator-token", "alice"])
        #expect(half.stderr.contains("both --operator-token and --operator-module"))
        let none = try await fixture.installation.run(change)
        #expect(none.stderr.contains("--operator-key or --operator-token"))
        for result in [both, half, none] { #expect(result.status == 65) }
    }

    @Test("A wrong PIN is tried once, and a script does not try again after it")
    func wrongPIN() async throws {
        let fixture = try await Fixture()
        let token = try #require(fixture.tokens["alice"])
        let wrong = try TestFolder.shared.write("000000\n", named: "wrong-pin")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: wrong)
        let before = token.logInCount
        let named = [
            "operator", "dual-control", "off", "--operator", "alice", "--operator-token", "alice", "--operator-module",
            token.modulePath, "--operator-pin-file",
        ]
        let refused = try await fixture.installation.run(named + [wrong])
        #expect(refused.status != 0 && refused.stderr.contains("refuses the PIN"))
        #expect(token.logInCount == before + 1)
        let next = try await fixture.installation.run(named + [token.pinFile])
        #expect(next.status != 0 && next.stderr.contains("type the PIN"))
        #expect(token.logInCount == before + 1)
    }
}
