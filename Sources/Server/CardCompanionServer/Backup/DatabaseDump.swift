internal import Administration
internal import CardCompanion
internal import CardCompanionStore
internal import EmbeddedPostgres
internal import Foundation
internal import Subprocess
internal import SystemPackage

/// A dump of the schema by PostgreSQL's pg_dump, as of one moment. pg_restore reads it.
struct DatabaseDump {
    let url: String
    /// The folder of PostgreSQL's programs; nil for the usual ones.
    let programs: String?

    /// Writes the dump to a new file, and reads it back: a dump that was cut off is found now, and not when it is needed.
    ///
    /// - Parameter tables: how many tables there are, for the progress bar.
    /// - Throws: ``CommandError``.
    func write(to path: String, tables: Int) async throws {
        var bar = ProgressBar(total: tables, unit: "tables")
        defer { bar.finish() }
        try await run(
            "pg_dump",
            ["--format=custom", "--schema=\(Store.schema)", "--no-password", "--verbose", "--file=\(path)"]
        ) { bar.update(done: $0, count: $0) }
        try await run("pg_restore", ["--file=/dev/null", path]) { _ in }
    }

    /// - Parameter progress: is told how many tables have been begun.
    private func run(_ program: String, _ arguments: [String], progress: (Int) -> Void) async throws {
        guard let place = InstalledPostgres.program(program, in: programs) else {
            throw CommandError.refused(
                "\(program) was not found\(programs.map { " in \($0)" } ?? ""): install PostgreSQL's programs for clients "
                    + "(apt-get install postgresql-client), or name their folder with --database-binaries")
        }
        let result = try await Subprocess.run(
            .path(FilePath(place)), arguments: Arguments(arguments), environment: try environment(),
            input: .none, output: .discarded, error: .sequence
        ) { running in
            var output = ProgramOutput()
            for try await line in running.standardError.strings() {
                output.add(line)
                progress(output.tables)
            }
            return output
        }
        guard result.terminationStatus.isSuccess else {
            try Task.checkCancellation()
            throw CommandError.refused("\(program) has failed: \(result.closureResult.complaint)")
        }
    }

    /// Of this process, only what libpq and the loader use.
    private func environment() throws -> Environment {
        let inherited = ProcessInfo.processInfo.environment.filter { name, _ in
            name.hasPrefix("PG") || ["PATH", "HOME", "LD_LIBRARY_PATH"].contains(name)
        }
        let variables = try Store.programEnvironment(connectingTo: url)
        var all = inherited.merging(variables) { $1 }.merging(["LC_ALL": "C"]) { $1 }
        // A session whose program has ended must not wait for a lock any longer.
        all["PGOPTIONS"] = [all["PGOPTIONS"], "-c client_connection_check_interval=2000"].compactMap(\.self)
            .joined(separator: " ")
        return .custom(Dictionary(uniqueKeysWithValues: all.map { (Environment.Key(stringLiteral: $0.key), $0.value) }))
    }
}

/// What pg_dump says.
private struct ProgramOutput {
    private static let lineLimit = 5
    private static let begunTable = "dumping contents of table"

    private(set) var tables = 0
    private var errors: [String] = []

    mutating func add(_ line: String) {
        if line.contains(Self.begunTable) { tables += 1 }
        let isError = ["error:", "detail:", "hint:"].contains { line.contains($0) }
        if isError, errors.count < Self.lineLimit {
            errors.append(line.trimmingCharacters(in: .whitespacesAndNewlines))
        }
    }

    var complaint: String {
        guard !errors.isEmpty else { return "it does not say why" }
        let text = ClientText.printable(errors.joined(separator: " "))
        if text.contains("permission denied") {
            return "\(text). Use a role that can read all tables: one that serves, or the one that owns the schema"
        }
        if text.contains("version mismatch") {
            return "\(text). Name the folder of newer programs with --database-binaries"
        }
        return text
    }
}
