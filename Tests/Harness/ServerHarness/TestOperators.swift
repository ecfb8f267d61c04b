internal import Foundation

/// Operators with keys of their own.
package struct TestOperators: Sendable {
    package let names: [String]
    private let folder: String
    private let passphraseFile: String

    /// Gives each a key.
    ///
    /// - Parameter installation: makes the keys with `operator make-key`; nil takes keys of openssl, which open faster.
    package init(_ names: [String] = ["alice", "bob"], madeBy installation: TestInstallation? = nil) async throws {
        self.names = names
        folder = TestFolder.shared.unused("operators")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        passphraseFile = try TestFolder.shared.write("\(Self.passphrase)\n", named: "passphrase")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: passphraseFile)
        for name in names {
            guard let installation else {
                try await OpenSSLKeys.shared.write(
                    keyOf: name, privateKey: key(of: name), publicKey: publicKey(of: name))
                continue
            }
            try await installation.run([
                "operator", "make-key", "--private-key", key(of: name), "--public-key", publicKey(of: name),
                "--passphrase-file", passphraseFile,
            ]).succeeded()
        }
    }

    package func key(of name: String) -> String { "\(folder)/\(name).key" }
    package func publicKey(of name: String) -> String { "\(folder)/\(name).pub" }
    package static let passphrase = "correct horse battery"

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

/// A key for each name. All installations of a test process have the same ones.
private actor OpenSSLKeys {
    static let shared = OpenSSLKeys()

    private struct Key {
        let privateKey: String
        let publicKey: String
    }

    private var keys: [String: Key] = [:]

    func write(keyOf name: String, privateKey: String, publicKey: String) async throws {
        let key = try await key(of: name)
        try key.privateKey.write(toFile: privateKey, atomically: false, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: privateKey)
        try key.publicKey.write(toFile: publicKey, atomically: false, encoding: .utf8)
    }

    private func key(of name: String) async throws -> Key {
        if let key = keys[name] { return key }
        let plain = try await openssl(["genpkey", "-algorithm", "ed25519"])
        // One repetition of PBKDF2: 600,000 take 0.2 s each time that a command opens the key.
        let encrypted = try await openssl(
            [
                "pkcs8", "-topk8", "-v2", "aes-256-cbc", "-v2prf", "hmacWithSHA256", "-iter", "1", "-passout",
                "pass:\(TestOperators.passphrase)",
            ], stdin: plain)
        let key = Key(privateKey: encrypted, publicKey: try await openssl(["pkey", "-pubout"], stdin: plain))
        // Another test can have made one meanwhile.
        if let made = keys[name] { return made }
        keys[name] = key
        return key
    }

    private func openssl(_ arguments: [String], stdin: String = "") async throws -> String {
        try await TestCommand.run("openssl", arguments, stdin: stdin).succeeded().stdout
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
