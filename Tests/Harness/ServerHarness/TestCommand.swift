internal import Foundation
internal import Subprocess
internal import SystemPackage

/// The result of a program that has ended.
package struct CommandResult: Sendable {
    /// The exit status; if a signal ended the program, the negative signal number.
    package let status: Int
    /// Standard output.
    package let stdout: String
    /// Standard error.
    package let stderr: String

    /// Returns itself if the status is 0.
    ///
    /// - Throws: ``CommandFailed`` for any other status.
    @discardableResult
    package func succeeded() throws -> CommandResult {
        guard status == 0 else { throw CommandFailed(result: self) }
        return self
    }
}

/// A program ended with a status other than 0.
package struct CommandFailed: Error, CustomStringConvertible {
    package let result: CommandResult
    /// Shown in the test failure.
    package var description: String { "status \(result.status): \(result.stderr)\(result.stdout)" }
}

/// Runs programs and waits for their end.
package enum TestCommand {
    private static let outputLimitBytes = 16 << 20

    /// Tests run in parallel. On a machine with few processors, many programs at the same time are slower than a few.
    private static let gate = Gate(width: 4)

    /// Runs a program. It inherits only `PATH` from this process's environment, and gets `environment`.
    package static func run(
        _ program: String, _ arguments: [String], environment: [String: String] = [:], stdin: String = ""
    ) async throws -> CommandResult {
        let executable: Executable = program.contains("/") ? .path(FilePath(program)) : .name(program)
        let keyed = Dictionary(
            uniqueKeysWithValues: variables(environment).map { (Environment.Key(stringLiteral: $0), $1) })
        let result = try await gate.pass {
            try await Subprocess.run(
                executable, arguments: Arguments(arguments), environment: .custom(keyed), input: .string(stdin),
                output: .string(limit: outputLimitBytes), error: .string(limit: outputLimitBytes))
        }
        return CommandResult(
            status: status(result.terminationStatus), stdout: result.standardOutput, stderr: result.standardError)
    }

    /// The whole environment of a program.
    static func variables(_ given: [String: String]) -> [String: String] {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin"
        return given.merging(["PATH": path, "LC_ALL": "C.UTF-8"]) { given, _ in given }
    }

    private static func status(_ status: TerminationStatus) -> Int {
        switch status {
        case .exited(let code): Int(code)
        case .signaled(let signal): -Int(signal)
        }
    }
}
