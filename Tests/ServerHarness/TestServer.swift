internal import Foundation

/// A running `card-companion serve`.
package final class TestServer: Sendable {
    /// Its base URL: `http://127.0.0.1:PORT`.
    package let url: String
    /// The TCP port.
    package let port: Int
    /// Its host and port as in its URL. Clients of the harness send it as `Host`.
    package var authority: String { "\(HTTPClient.loopback):\(port)" }

    private let process: Process
    private let logPath: String

    private static let startLimitSeconds = 120
    private static let stopLimitSeconds = 60
    private static let pollMilliseconds = 20

    /// Starts the program and waits until its log shows its URL.
    ///
    /// - Parameter launcher: a program with arguments that starts the server, such as `["prlimit", "--nofile=1000"]`. It
    ///   must keep its process id.
    init(arguments: [String], environment: [String: String], launcher: [String] = []) async throws {
        let logPath = try TestFolder.shared.write("", named: "server-log")
        let command = launcher + [CardCompanionBinary.path] + arguments
        let process = try Self.start(command, environment, logPath: logPath)
        do {
            url = try await Self.address(of: process, logPath: logPath)
            port = try URL(string: url)?.port.orThrow(ServerFailed(log: url)) ?? 0
        } catch {
            kill(process.processIdentifier, SIGKILL)
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

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }

    /// The process id.
    package var processID: Int32 { process.processIdentifier }

    /// The log so far.
    package var log: String { Self.read(logPath) }

    /// The log lines that contain all of `texts`.
    package func logLines(with texts: String...) -> [String] {
        log.split(separator: "\n").map(String.init).filter { line in texts.allSatisfy(line.contains) }
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
        kill(processID, SIGTERM)
        return try await ended()
    }

    /// Kills the server with SIGKILL and waits for its end.
    package func kill9() async throws {
        kill(processID, SIGKILL)
        _ = try await ended()
    }

    /// Waits for its end.
    ///
    /// - Returns: the exit status.
    /// - Throws: ``ServerFailed`` if it does not stop in time; then it is killed.
    package func ended() async throws -> Int32 {
        let deadline = ContinuousClock.now + .seconds(Self.stopLimitSeconds)
        while process.isRunning {
            guard ContinuousClock.now < deadline else {
                let threads = threads
                kill(processID, SIGKILL)
                throw ServerFailed(
                    log: "the server did not stop in time; end of its log:\n\(log.suffix(4000))\n\(threads)")
            }
            try await Task.sleep(for: .milliseconds(Self.pollMilliseconds))
        }
        TestFolder.shared.forget(process: processID)
        return process.terminationStatus
    }

    /// What its threads wait for, and its signals: says why it does not stop.
    private var threads: String {
        func text(_ file: String) -> String {
            Self.read("/proc/\(processID)/\(file)").trimmingCharacters(in: .whitespacesAndNewlines)
        }
        let ids = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(processID)/task")) ?? []
        let threads = ids.map { "\(text("task/\($0)/comm")): \(text("task/\($0)/wchan"))" }
        let signals = text("status").split(separator: "\n").filter { $0.contains("Sig") || $0.contains("ShdPnd") }
        return (threads.sorted() + signals.map(String.init)).joined(separator: "\n")
    }

    private static func start(
        _ command: [String], _ environment: [String: String], logPath: String
    ) throws -> Process {
        let process = Process()
        process.executableURL = URL(filePath: command[0].contains("/") ? command[0] : "/usr/bin/\(command[0])")
        process.arguments = Array(command.dropFirst())
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin"
        process.environment = environment.merging(["PATH": path, "LC_ALL": "C.UTF-8"]) { given, _ in given }
        let log = FileHandle(forWritingAtPath: logPath)
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = log
        process.standardError = log
        try process.run()
        try TestFolder.shared.watch(process: process.processIdentifier)
        return process
    }

    private static func address(of process: Process, logPath: String) async throws -> String {
        let deadline = ContinuousClock.now + .seconds(startLimitSeconds)
        while true {
            let log = read(logPath)
            if let match = log.firstMatch(of: /url=(https?:\/\/\S+).*Listening/) { return String(match.1) }
            if let match = log.firstMatch(of: /"Listening".*"url":"(https?:[^"]+)"/) { return String(match.1) }
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
