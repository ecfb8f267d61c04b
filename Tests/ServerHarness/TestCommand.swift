internal import Foundation
internal import Subprocess
internal import SystemPackage

/// What a program did that was run to its end.
public struct CommandResult: Sendable {
    /// Its exit status; the negative number of the signal that ended it.
    public let status: Int
    /// Its standard output.
    public let stdout: String
    /// Its standard error.
    public let stderr: String

    /// Itself, where the status is 0.
    ///
    /// - Throws: ``CommandFailed``.
    @discardableResult
    public func succeeded() throws -> CommandResult {
        guard status == 0 else { throw CommandFailed(result: self) }
        return self
    }
}

/// A program ended with another status than 0.
public struct CommandFailed: Error, CustomStringConvertible {
    /// What it did.
    public let result: CommandResult
    /// For who reads the test's failure.
    public var description: String { "status \(result.status): \(result.stderr)\(result.stdout)" }
}

/// Runs programs to their ends.
public enum TestCommand {
    private static let outputLimitBytes = 16 << 20

    /// Tests run side by side, and on a machine of few processors many programs at once are slower than a few.
    private static let gate = Gate(width: 4)

    /// Runs a program with `environment` and a search path, and nothing else of this process's environment.
    public static func run(
        _ program: String, _ arguments: [String], environment: [String: String] = [:], stdin: String = ""
    ) async throws -> CommandResult {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin"
        let variables = environment.merging(["PATH": path, "LC_ALL": "C.UTF-8"]) { given, _ in given }
        let executable: Executable = program.contains("/") ? .path(FilePath(program)) : .name(program)
        let keyed = Dictionary(uniqueKeysWithValues: variables.map { (Environment.Key(stringLiteral: $0), $1) })
        let result = try await gate.pass {
            try await Subprocess.run(
                executable, arguments: Arguments(arguments), environment: .custom(keyed), input: .string(stdin),
                output: .string(limit: outputLimitBytes), error: .string(limit: outputLimitBytes))
        }
        return CommandResult(
            status: status(result.terminationStatus), stdout: result.standardOutput, stderr: result.standardError)
    }

    private static func status(_ status: TerminationStatus) -> Int {
        switch status {
        case .exited(let code): Int(code)
        case .signaled(let signal): -Int(signal)
        }
    }
}
