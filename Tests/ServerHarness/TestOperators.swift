internal import Foundation

/// Operators with keys of their own, as `operator make-key` makes them.
package struct TestOperators: Sendable {
    package let names: [String]
    private let folder: String
    private let passphraseFile: String

    /// Makes a key for each.
    package init(_ names: [String] = ["alice", "bob"], with installation: TestInstallation) async throws {
        self.names = names
        folder = TestFolder.shared.unused("operators")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        passphraseFile = try TestFolder.shared.write("correct horse battery\n", named: "passphrase")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: passphraseFile)
        for name in names {
            try await installation.run([
                "operator", "make-key", "--private-key", key(of: name), "--public-key", publicKey(of: name),
                "--passphrase-file", passphraseFile,
            ]).succeeded()
        }
    }

    package func key(of name: String) -> String { "\(folder)/\(name).key" }
    package func publicKey(of name: String) -> String { "\(folder)/\(name).pub" }
    package var passphrase: String { "correct horse battery" }

    /// The options by which a person names themselves and their key.
    package func options(of name: String, keyOf other: String? = nil) -> [String] {
        [
            "--operator", name, "--operator-key", key(of: other ?? name), "--operator-passphrase-file", passphraseFile,
        ]
    }

    /// The options of `vault init` that make the first operators.
    package func first(_ count: Int = 2) -> [String] {
        names.prefix(count).flatMap { ["--first-operator", "\($0)=\(publicKey(of: $0))"] }
    }
}

extension TestInstallation {
    /// Lets one operator propose a change.
    ///
    /// - Returns: the id of the change that waits.
    package func propose(
        _ arguments: [String], by name: String = "alice", of operators: TestOperators
    ) async throws -> String {
        let answer = try await run(arguments + operators.options(of: name) + ["--json"]).succeeded().stdout
        guard let id = try JSON(parsing: answer).object?["waitsForApproval"]?.string else {
            throw NothingWaits(description: "the command did not wait for an approval: \(answer)")
        }
        return id
    }

    /// Lets another operator approve it.
    package func approve(
        _ id: String, by name: String = "bob", of operators: TestOperators
    ) async throws -> CommandResult {
        try await run(["approve", id] + operators.options(of: name))
    }

    /// Lets two operators make a change.
    package func runWithTwo(_ arguments: [String], of operators: TestOperators) async throws {
        try await approve(try await propose(arguments, of: operators), of: operators).succeeded()
    }
}

/// A command that should wait for an approval did not.
package struct NothingWaits: Error, CustomStringConvertible {
    package let description: String
}
