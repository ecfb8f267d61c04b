internal import Foundation

/// A Python script that answers questions independently of this code: one JSON object of strings in, one out.
public struct PythonOracle: Sendable {
    /// Why tests that need Python are skipped, where they are.
    public static let absence = "no Python: set CARD_COMPANION_PYTHON, or make .venv at the package's root"

    /// Whether there is an interpreter. One that is named but is not there does not count as absent: the tests fail.
    public static var isAvailable: Bool {
        ProcessInfo.processInfo.environment[variable] != nil || FileManager.default.isExecutableFile(atPath: ownPython)
    }

    /// The interpreter.
    public static var interpreter: String { ProcessInfo.processInfo.environment[variable] ?? ownPython }

    private static let variable = "CARD_COMPANION_PYTHON"
    private static let packageRoot = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
    private static let ownPython = packageRoot.appending(path: ".venv/bin/python3").path

    private let script: String

    /// An oracle that asks the script at `path`, relative to the folder of the calling test's file.
    public init(script path: String, testFile: String = #filePath) {
        script = URL(filePath: testFile).deletingLastPathComponent().appending(path: path).path
    }

    /// Runs the script once. What it prints to standard error is shown; a failure of it is thrown.
    public func ask(_ command: String, _ arguments: [String: String] = [:]) throws -> [String: String] {
        let process = Process()
        process.executableURL = URL(filePath: Self.interpreter)
        process.arguments = [script, command]
        let (input, output) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        try input.fileHandleForWriting.write(contentsOf: JSONEncoder().encode(arguments))
        try input.fileHandleForWriting.close()
        let answer = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure(command: command, status: process.terminationStatus) }
        return try JSONDecoder().decode([String: String].self, from: answer)
    }

    /// The script ended with an error.
    public struct Failure: Error {
        /// What it was asked.
        public let command: String
        /// Its exit status.
        public let status: Int32
    }
}
