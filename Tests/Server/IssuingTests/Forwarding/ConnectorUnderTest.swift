import Foundation
import ServerHarness
import Testing

/// A connector that runs, with a bank's program that answers as the test says.
final class ConnectorUnderTest: Sendable {
    /// The program's folder.
    let folder: String
    let log: String
    let process: TestProcess

    /// - Parameters:
    ///   - folder: of an earlier connector; nil for a new one.
    ///   - url: of the database; nil for that of the servers' role.
    ///   - program: nil for one that answers as the test says.
    init(
        of backend: Backend, on installation: TestInstallation, folder: String? = nil, url: String? = nil,
        program: [String]? = nil, _ arguments: [String] = []
    ) throws {
        self.folder = folder ?? TestFolder.shared.unused("host")
        log = TestFolder.shared.unused("connector")
        try FileManager.default.createDirectory(atPath: self.folder, withIntermediateDirectories: true)
        var environment = installation.environment
        environment["DATABASE_URL"] = url ?? installation.databaseURL
        process = try TestProcess(
            [
                CardCompanionBinary.path, "forward", "--bank", backend.bank.id, "--data-directory",
                installation.dataDirectory,
            ]
                + arguments + ["--"] + (program ?? ["/usr/bin/env", "python3", "-B", Self.program, self.folder]),
            environment: environment, outputPath: log)
        try TestFolder.shared.watch(process: process.processID)
    }

    private static let program = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../Oracles/host.py").standardized.path

    /// The program answers so when it is asked about a cardholder: the first time, the second time, and so on.
    func answer(_ answers: String..., about holder: TestCardholder) throws {
        try answers.joined(separator: "\n").write(
            toFile: "\(folder)/\(holder.uniqueId)", atomically: true, encoding: .utf8)
    }

    /// What the program has got about a cardholder.
    func lines(about holder: TestCardholder) throws -> [[String: JSON]] {
        try Self.lines(of: "\(folder)/lines").compactMap { try JSON(parsing: Array($0.utf8)).object }
            .filter { $0["uniqueId"]?.string == holder.uniqueId }
    }

    /// One line per start of the program.
    var starts: [String] { Self.lines(of: "\(folder)/starts") }

    var logText: String { (try? String(contentsOfFile: log, encoding: .utf8)) ?? "" }

    private static func lines(of path: String) -> [String] {
        let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        // The last line can be incomplete.
        return text.components(separatedBy: "\n").dropLast()
    }

    func waitForLines(_ count: Int, about holder: TestCardholder) async throws -> [[String: JSON]] {
        try await wait(for: "line \(count) about \(holder.uniqueId)") { try lines(about: holder).count >= count }
        return try lines(about: holder)
    }

    /// Waits, and shows the log if it was in vain.
    func wait(for what: String, _ condition: () async throws -> Bool) async throws {
        do {
            try await eventually(what, condition)
        } catch {
            Issue.record("\(logText)")
            throw error
        }
    }

    /// Stops it, and returns its exit status.
    func stop() async -> Int32 {
        process.send(SIGTERM)
        return await process.ended()
    }
}

extension Backend {
    /// What GET says of a cardholder's defined PIN.
    func definedPIN(_ holder: TestCardholder) async throws -> [String: JSON]? {
        try await get(holder.uniqueId).members["definedPin"]?.object
    }

    func waitForState(_ state: String, of holder: TestCardholder, _ connector: ConnectorUnderTest) async throws {
        try await connector.wait(for: "the defined PIN is \(state)") {
            try await definedPIN(holder)?["state"]?.string == state
        }
    }
}
