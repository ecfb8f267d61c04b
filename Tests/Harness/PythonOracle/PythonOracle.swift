internal import Foundation

/// Runs a Python script as an independent implementation for tests. It reads one JSON object of strings from standard
/// input and prints one.
package struct PythonOracle: Sendable {
    /// Why tests that need Python are skipped.
    package static let absence = "no Python: set CARD_COMPANION_PYTHON, or create .venv in the package's root"

    /// Whether there is an interpreter. If `CARD_COMPANION_PYTHON` is set this is true even if the file does not exist:
    /// the tests must fail then, not be skipped.
    package static var isAvailable: Bool {
        ProcessInfo.processInfo.environment[variable] != nil || FileManager.default.isExecutableFile(atPath: ownPython)
    }

    /// The path of the interpreter.
    package static var interpreter: String { ProcessInfo.processInfo.environment[variable] ?? ownPython }

    private static let variable = "CARD_COMPANION_PYTHON"
    private static let packageRoot = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    private static let ownPython = packageRoot.appending(path: ".venv/bin/python3").path

    private let script: String

    /// Creates an oracle for the script at `path`, relative to the folder of the calling test's file.
    package init(script path: String, testFile: String = #filePath) {
        script = URL(filePath: testFile).deletingLastPathComponent().appending(path: path).path
    }

    /// Runs the script once with a command and its arguments. Its standard error is not redirected.
    ///
    /// It waits on a thread of its own: Swift's pool has as many threads as there are processors, and all tests need them.
    ///
    /// - Throws: ``Failure`` if the script exits with an error.
    package func ask(_ command: String, _ arguments: [String: String] = [:]) async throws -> [String: String] {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(with: Result { try run(command, arguments) })
            }
        }
    }

    private func run(_ command: String, _ arguments: [String: String]) throws -> [String: String] {
        let input = String(decoding: try JSONEncoder().encode(arguments), as: UTF8.self)
        let answer = try OracleServer.shared.get().run(script, command, input: input)
        guard answer.status == 0 else { throw Failure(command: command, status: answer.status) }
        return try JSONDecoder().decode([String: String].self, from: Data(answer.output.utf8))
    }

    /// The script exited with an error.
    package struct Failure: Error {
        /// The command.
        package let command: String
        /// The exit status.
        package let status: Int32
    }
}
