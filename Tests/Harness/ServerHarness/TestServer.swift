internal import Foundation
internal import Synchronization

/// A running `card-companion serve`.
package final class TestServer: Sendable {
    /// Its base URL: `http://127.0.0.1:PORT`.
    package let url: String
    /// The TCP port.
    package let port: Int
    /// Its host and port as in its URL. Clients of the harness send it as `Host`.
    package var authority: String { "\(HTTPClient.loopback):\(port)" }

    private let startedAt = ContinuousClock.now
    private let process: TestProcess
    private let logPath: String
    /// The port of the admin listener, once the log has named it. It never changes.
    let knownAdminPort = Mutex<Int?>(nil)

    private static let startLimitSeconds = 300
    private static let stopLimitSeconds = 180
    private static let pollMilliseconds = 40

    /// Starts the program and waits until its log shows its URL.
    ///
    /// - Parameters:
    ///   - program: the path of the program.
    ///   - launcher: a program with arguments that starts the server, such as `["prlimit", "--nofile=1000"]`. It must keep its
    ///     process id.
    init(
        program: String = CardCompanionBinary.path, arguments: [String], environment: [String: String],
        launcher: [String] = []
    ) async throws {
        let logPath = try TestFolder.shared.write("", named: "server-log")
        let command = launcher + [program] + arguments
        let process = try TestProcess(command, environment: environment, outputPath: logPath)
        do {
            try TestFolder.shared.watch(process: process.processID)
            url = try await Self.address(of: process, logPath: logPath)
            port = try URL(string: url)?.port.orThrow(ServerFailed(log: url)) ?? 0
        } catch {
            process.send(SIGKILL)
            throw error
        }
        self.process = process
        self.logPath = logPath
    }

    /// Starts a server with a private PostgreSQL in a new data directory.
    package static func withPrivateDatabase(
        _ arguments: [String] = [], environment: [String: String] = [:], launcher: [String] = []
    ) async throws -> TestServer {
        let dataDirectory = TestFolder.shared.unused("data")
        return try await TestServer(
            arguments: ["serve", "--data-directory", dataDirectory] + arguments,
            environment: ["HTTP_PORT": "0"].merging(environment) { $1 }, launcher: launcher)
    }

    deinit { process.send(SIGKILL) }

    /// The process id.
    package var processID: Int32 { process.processID }

    /// The log so far.
    package var log: String { Self.read(logPath) }

    /// The log lines that contain all of `texts`.
    package func logLines(with texts: String...) -> [String] { logLines(with: texts) }

    private func logLines(with texts: [String]) -> [String] {
        log.split(separator: "\n").map(String.init).filter { line in texts.allSatisfy(line.contains) }
    }

    /// Whether the log has a warning with all of `texts`, and at most one in each minute.
    package func hasRareWarning(with texts: String...) -> Bool {
        let minutes = startedAt.duration(to: .now) / .seconds(60)
        let count = logLines(with: ["warning"] + texts).count
        return count > 0 && Double(count) <= 1 + minutes
    }

    /// The audit line of an answer.
    package func auditLine(of answer: HTTPAnswer) throws -> String {
        let lines = logLines(with: "request_id=\(answer["X-Request-Id"] ?? "none")", "trail=audit")
        guard lines.count == 1 else { throw ServerFailed(log: "not one audit line: \(lines)") }
        return lines[0]
    }

    /// Stops the server with SIGTERM and waits for its end.
    ///
    /// - Returns: the exit status.
    /// - Throws: ``ServerFailed`` if it does not stop in time; then it is killed.
    @discardableResult
    package func stop() async throws -> Int32 {
        process.send(SIGTERM)
        return try await ended()
    }

    /// Kills the server with SIGKILL and waits for its end.
    package func kill9() async throws {
        process.send(SIGKILL)
        _ = try await ended()
    }

    /// Waits for its end.
    ///
    /// - Returns: the exit status.
    /// - Throws: ``ServerFailed`` if it does not stop in time; then it is killed.
    package func ended() async throws -> Int32 {
        if let stacks = await stacksUnlessEnded(within: .seconds(Self.stopLimitSeconds)) {
            throw ServerFailed(log: "the server did not stop in time; end of its log:\n\(log.suffix(4000))\n\(stacks)")
        }
        TestFolder.shared.forget(process: processID)
        return await process.ended()
    }

    /// Waits for its end. If it does not come in time, kills the server.
    ///
    /// - Returns: what each thread did then; nil if the server has ended by itself.
    private func stacksUnlessEnded(within limit: Duration) async -> String? {
        await withTaskGroup(of: String?.self) { group in
            group.addTask {
                await self.process.ended()
                return nil
            }
            group.addTask {
                guard (try? await Task.sleep(for: limit)) != nil else { return nil }
                let stacks = await self.stacks()
                self.process.send(SIGKILL)
                return stacks
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            return first
        }
    }

    /// The stack of each thread. Servers forbid core dumps, so that only root sees it.
    private func stacks() async -> String {
        let arguments = ["-p", "\(processID)", "-batch", "-nx", "-ex", "thread apply all backtrace"]
        do {
            let result = try await TestCommand.run("gdb", arguments)
            return "\(signals)\n\(result.stdout)\(result.stderr)"
        } catch {
            return "\(signals)\nno stacks: \(error)"
        }
    }

    /// Which signals it blocks, ignores and has not handled yet.
    private var signals: String {
        Self.read("/proc/\(processID)/status").split(separator: "\n")
            .filter { $0.contains("Sig") || $0.contains("ShdPnd") || $0.contains("State") }.joined(separator: "\n")
    }

    private static func address(of process: TestProcess, logPath: String) async throws -> String {
        let deadline = ContinuousClock.now + .seconds(startLimitSeconds)
        while true {
            let lines = read(logPath).split(separator: "\n")
            // A regular expression takes long on a whole log.
            if let line = lines.first(where: { $0.contains("Listening") && $0.contains("url") }) {
                if let match = line.firstMatch(of: /Listening url=(https?:\/\/\S+)/) { return String(match.1) }
                if let match = line.firstMatch(of: /"Listening".*"url":"(https?:[^"]+)"/) { return String(match.1) }
            }
            // It can have written why it has ended since then.
            guard process.isRunning, ContinuousClock.now < deadline else { throw ServerFailed(log: read(logPath)) }
            try await Task.sleep(for: .milliseconds(pollMilliseconds))
        }
    }

    private static func read(_ path: String) -> String {
        String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
    }
}

/// A server did not start or stop in time.
package struct ServerFailed: Error, CustomStringConvertible {
    package let log: String
    /// Shown in the test failure.
    package var description: String { log }
}

extension Optional {
    func orThrow(_ error: @autoclosure () -> some Error) throws -> Wrapped {
        guard let self else { throw error() }
        return self
    }
}
