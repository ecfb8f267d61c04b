internal import Foundation

extension TestInstallation {
    /// Enters a component of a key.
    package func enterComponent(
        _ hex: String, of count: Int = 2, into bankId: String, as user: String = "alice", login: UInt32? = nil,
        _ options: [String]
    ) async throws -> CommandResult {
        let file = try TestFolder.shared.write(hex + "\n", named: "component")
        return try await run(
            ["key", "import", "--bank", bankId, "--components", "\(count)", "--component-file", file] + options,
            as: user, login: login)
    }

    /// Imports a key that is not HMAC: alice enters two components, and bob confirms.
    ///
    /// - Parameters:
    ///   - key: the key in bytes.
    ///   - options: usage, algorithm and direction.
    package func importKey(_ key: [UInt8], label: String, into bankId: String, _ options: [String]) async throws {
        let first = key.map { _ in UInt8.random(in: .min ... .max) }
        let second = zip(key, first).map(^)
        var kcv = ""
        for part in [first, second] {
            let entered = try await enterComponent(
                Hex.encode(part), into: bankId, ["--label", label, "--json"] + options
            ).succeeded()
            kcv = try JSON(parsing: entered.stdout).object?["kcv"]?.string ?? ""
        }
        try await run(["key", "confirm", "--bank", bankId, "--kcv", kcv, label], as: "bob").succeeded()
    }
}
