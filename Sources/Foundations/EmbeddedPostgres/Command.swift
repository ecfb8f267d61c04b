internal import Glibc
internal import Subprocess
internal import SystemPackage

/// One run of a program:
/// - as an unprivileged user if this process runs as root,
/// - in its own session, so that Ctrl-C in the terminal reaches only this process,
/// - without the environment of this process, which can contain secrets.
struct Command {
    struct Result {
        let isSuccess: Bool
        /// Standard output and standard error.
        let output: String
    }

    private let configuration: Configuration
    private let input: String
    private let timeoutSeconds: Int

    private static let outputLimitBytes = 256 * 1024

    /// Why a program could not be started, although nothing is wrong with it: no descriptor, process or memory is free.
    private static let shortages: [Errno] = [
        .tooManyOpenFiles, .tooManyOpenFilesInSystem, .resourceTemporarilyUnavailable, .noMemory,
    ]

    /// - Parameter program: a path, or a name that is searched in PATH.
    init(
        _ program: FilePath, _ arguments: [String], user: ServerUser, workingDirectory: FilePath = "/",
        input: String = "", timeoutSeconds: Int = 60
    ) {
        let commandLine = Self.becoming(user) + [program.string] + arguments
        let executable = FilePath(commandLine[0])
        var platformOptions = PlatformOptions()
        platformOptions.createSession = true
        configuration = Configuration(
            executable: executable.isAbsolute ? .path(executable) : .name(executable.string),
            arguments: Arguments(Array(commandLine.dropFirst())), environment: Self.environment,
            workingDirectory: workingDirectory, platformOptions: platformOptions)
        self.input = input
        self.timeoutSeconds = timeoutSeconds
    }

    /// The command that changes the user (util-linux). The program and its children keep no group and no capability of
    /// root's, and can never get any, for example from a set-user-ID program. `PlatformOptions.userID` is not safe: between fork and exec, glibc's
    /// `setgroups` can wait forever for a thread that was being created at that moment.
    private static func becoming(_ user: ServerUser) -> [String] {
        guard ServerUser.runsAsRoot, user.id != 0 else { return [] }
        return [
            "setpriv", "--reuid", "\(user.id)", "--regid", "\(user.groupID)", "--clear-groups", "--inh-caps=-all",
            "--ambient-caps=-all", "--bounding-set=-all", "--no-new-privs", "--",
        ]
    }

    /// Runs the program and waits for its end. It is killed after its time limit, or if the task is cancelled.
    func run() async throws(EmbeddedPostgresError) -> Result {
        do {
            return try await withThrowingTaskGroup(of: Result?.self) { group in
                group.addTask { try await runToEnd() }
                group.addTask {
                    try await Task.sleep(for: .seconds(timeoutSeconds))
                    return nil
                }
                defer { group.cancelAll() }
                guard let result = try await group.next() ?? nil else { throw timedOut }
                return result
            }
        } catch let error as EmbeddedPostgresError {
            throw error
        } catch {
            if Task.isCancelled { throw .cancelled }
            if let reason = (error as? SubprocessError)?.underlyingError, Self.shortages.contains(reason) {
                throw .inDoubt("cannot run \(configuration.executable)", reason)
            }
            throw EmbeddedPostgresError(.commandFailed, "cannot run \(configuration.executable): \(error)")
        }
    }

    private func runToEnd() async throws -> Result {
        let result = try await Subprocess.run(
            configuration, input: .string(input), output: .string(limit: Self.outputLimitBytes),
            error: .combinedWithOutput)
        try Task.checkCancellation()
        return Result(isSuccess: result.terminationStatus.isSuccess, output: result.standardOutput)
    }

    private var timedOut: EmbeddedPostgresError {
        EmbeddedPostgresError(.timedOut, "\(configuration.executable) did not end within \(timeoutSeconds) s")
    }

    private static let environment = Environment.custom([
        "PATH": getenv("PATH").map { String(cString: $0) } ?? "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C",
    ])
}

extension EmbeddedPostgresError {
    static var cancelled: Self { Self(.cancelled, "the start of PostgreSQL was cancelled") }
}
