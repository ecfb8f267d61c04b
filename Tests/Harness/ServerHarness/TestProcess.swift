internal import CSpawn
internal import Foundation
internal import Synchronization

/// A program that runs beside the tests, until it ends or is killed.
///
/// Foundation's `Process` is not used. It notices the end of a program when a socket is closed that the program has inherited.
/// Another program that is started at the same moment can inherit that socket too, and as long as it runs, the first one seems
/// to run.
package final class TestProcess: Sendable {
    /// The process id.
    package let processID: Int32

    private enum State {
        case running([CheckedContinuation<Int32, Never>])
        case ended(Int32)
    }

    private let state: Mutex<State>

    /// Starts a program. It has no input, inherits no other file, and blocks and ignores no signal.
    ///
    /// - Parameters:
    ///   - command: the program and its arguments. A name without a slash is searched in `PATH`.
    ///   - environment: all of its environment, but for `PATH` and `LC_ALL`.
    ///   - outputPath: the file for its output and its errors; nil for none.
    package init(_ command: [String], environment: [String: String] = [:], outputPath: String? = nil) throws {
        let (processID, code) = Self.spawn(command, environment, outputPath ?? "/dev/null")
        guard code == 0 else { throw ProgramNotStarted(program: command[0], code: code) }
        self.processID = processID
        state = Mutex(.running([]))
        Thread.detachNewThread { [self] in waitForEnd() }
    }

    package var isRunning: Bool {
        state.withLock { if case .running = $0 { true } else { false } }
    }

    /// Waits for its end.
    ///
    /// - Returns: the exit status; if a signal ended the program, the number of the signal.
    @discardableResult
    package func ended() async -> Int32 {
        await withCheckedContinuation { continuation in
            let status: Int32? = state.withLock { state in
                switch state {
                case .ended(let status): return status
                case .running(let waiting):
                    state = .running(waiting + [continuation])
                    return nil
                }
            }
            if let status { continuation.resume(returning: status) }
        }
    }

    /// Sends a signal, unless the program has ended.
    package func send(_ signal: Int32) {
        state.withLock { if case .running = $0 { kill(processID, signal) } }
    }

    private func waitForEnd() {
        // Waits without removing the process, so that nobody sends a signal to another one that got its number.
        var information = siginfo_t()
        while waitid(P_PID, id_t(processID), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
        let (waiting, result) = state.withLock { state -> ([CheckedContinuation<Int32, Never>], Int32) in
            var status: Int32 = 0
            while waitpid(processID, &status, 0) < 0, errno == EINTR {}
            guard case .running(let waiting) = state else { return ([], 0) }
            let signal = status & 0x7f
            let result = signal == 0 ? (status >> 8) & 0xff : signal
            state = .ended(result)
            return (waiting, result)
        }
        for continuation in waiting { continuation.resume(returning: result) }
    }

    private static func spawn(
        _ command: [String], _ environment: [String: String], _ outputPath: String
    ) -> (processID: Int32, code: Int32) {
        var files = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&files)
        defer { posix_spawn_file_actions_destroy(&files) }
        posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, outputPath, O_WRONLY | O_CREAT | O_APPEND, 0o644)
        posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO)
        card_companion_close_from(&files, STDERR_FILENO + 1)

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

        let variables = TestCommand.variables(environment).map { "\($0)=\($1)" }
        let arguments = command.map { strdup($0) }
        let values = variables.map { strdup($0) }
        defer { (arguments + values).forEach { free($0) } }
        var processID = pid_t()
        let code = posix_spawnp(&processID, command[0], &files, &attributes, arguments + [nil], values + [nil])
        return (processID, code)
    }
}

/// A program could not be started.
package struct ProgramNotStarted: Error, CustomStringConvertible {
    let program: String
    let code: Int32
    /// Shown in the test failure.
    package var description: String { "cannot start \(program): \(String(cString: strerror(code)))" }
}
