internal import Glibc
internal import Logging
internal import SystemPackage

/// A cluster and its server process. The caller must hold the owner's lock.
struct Cluster: Sendable {
    let folder: ServerFolder
    let configuration: EmbeddedPostgresConfiguration
    let logger: Logger

    private static let pollMilliseconds = 100
    private static let initializeTimeoutSeconds = 180
    private static let immediateStopTimeoutSeconds = 15
    private static let killTimeoutSeconds = 5

    /// `pg_ctl` has its own time limit for the start, and gets this much more time to report a timeout.
    private static let commandMarginSeconds = 5

    var log: ServerLog { ServerLog(path: folder.log, serverUser: folder.serverUser) }

    /// The server process; nil if it certainly does not run.
    ///
    /// - Throws: `inDoubt` if this cannot be found out.
    var postmaster: Postmaster? {
        get throws(EmbeddedPostgresError) {
            do throws(Errno) {
                guard let text = try TextFile.read(postmasterFile), let postmaster = Postmaster(pidFile: text) else {
                    return nil
                }
                return try postmaster.wasStarted(with: settingsArgument) ? postmaster : nil
            } catch {
                throw .inDoubt("cannot find out whether PostgreSQL runs in \(folder.path)", error)
            }
        }
    }

    /// Creates the cluster if there is none, starts its server if it does not run, and waits until it accepts
    /// connections. If a server is still running, it is taken over; if it has other settings, it is restarted.
    func bringUp(socketDirectory: FilePath) async throws(EmbeddedPostgresError) {
        let version = try majorVersion
        let binaries = try await Binaries.find(
            configured: configuration.binaryDirectory, clusterVersion: version, user: folder.serverUser)
        if version == nil { try await create(with: binaries) }
        try await apply(
            ClusterSettings(
                folder: folder, socketDirectory: socketDirectory, connectionLimit: configuration.connectionLimit))
        try await start(with: binaries)
    }

    /// Stops the server with a fast shutdown, which ends sessions and writes everything to disk. If this takes too long, an
    /// immediate shutdown follows, and the next start recovers the committed data. (PostgreSQL's documentation,
    /// section 19.5.)
    func shutDown() async {
        // A separate task, because the shutdown must complete even if the calling task was cancelled.
        await Task { await stop() }.value
    }

    private func stop() async {
        let steps = [
            (SIGINT, configuration.stopTimeoutSeconds), (SIGQUIT, Self.immediateStopTimeoutSeconds),
            (SIGKILL, Self.killTimeoutSeconds),
        ]
        for (signal, timeoutSeconds) in steps {
            if await hasStopped(after: signal, within: .seconds(timeoutSeconds)) { return }
        }
        logger.error("could not stop PostgreSQL", metadata: ["folder": "\(folder.path)"])
    }

    /// Sends the server a signal, and waits until it has certainly ended. In doubt it looks again.
    private func hasStopped(after signal: Int32, within limit: Duration) async -> Bool {
        let deadline = ContinuousClock.now + limit
        var signalled: Postmaster?
        repeat {
            do {
                if let signalled {
                    guard try signalled.wasStarted(with: settingsArgument) else { return true }
                } else {
                    guard let running = try postmaster else { return true }
                    kill(running.processID, signal)
                    signalled = running
                }
            } catch {
                logger.debug("cannot find out whether PostgreSQL has stopped", metadata: ["error": "\(error)"])
            }
            try? await Task.sleep(for: .milliseconds(Self.pollMilliseconds))
        } while ContinuousClock.now < deadline
        return false
    }

    // MARK: - Creating

    private var postmasterFile: FilePath { folder.cluster.appending("postmaster.pid") }

    /// An argument on the server's command line that identifies the server of this cluster.
    private var settingsArgument: String { "config_file=\(folder.settings)" }

    /// The version that created the cluster; nil if there is no cluster.
    private var majorVersion: Int? {
        get throws(EmbeddedPostgresError) {
            do {
                _ = try Stat(folder.cluster, followTargetSymlink: false)
            } catch {
                if error == .noSuchFileOrDirectory { return nil }
                throw .inDoubt("cannot find out whether \(folder.cluster) exists", error)
            }
            let text: String?
            do throws(Errno) {
                text = try TextFile.read(folder.cluster.appending("PG_VERSION"))
            } catch {
                throw .inDoubt("cannot read PG_VERSION in \(folder.cluster)", error)
            }
            guard let version = text.flatMap({ Int($0.prefix { $0.isNumber }) }) else {
                throw EmbeddedPostgresError(
                    .folderUnusable, "\(folder.cluster) is not a PostgreSQL cluster: cannot read its PG_VERSION")
            }
            return version
        }
    }

    private func create(with binaries: Binaries) async throws(EmbeddedPostgresError) {
        logger.info("creating a PostgreSQL cluster", metadata: ["folder": "\(folder.path)"])
        try Directory.make(folder.staging, owner: folder.serverUser)
        let draft = folder.staging.appending("cluster")
        try await execute("rm", ["-rf", "staging/cluster"])
        try await execute(
            binaries.initdb,
            [
                "--pgdata", "staging/cluster", "--username", ClusterSettings.superuser, "--encoding", "UTF8",
                "--locale", "C", "--data-checksums", "--auth-local", "peer", "--auth-host", "reject",
                "--no-instructions",
            ])
        try await execute(
            binaries.postgres,
            ["--single", "-D", "staging/cluster", "-c", "exit_on_error=true", "template1"],
            input: """
                CREATE ROLE \(ClusterSettings.role) LOGIN
                CREATE ROLE \(ClusterSettings.serviceRole) LOGIN
                CREATE DATABASE \(ClusterSettings.database) OWNER \(ClusterSettings.role)

                """)
        guard rename(draft.string, folder.cluster.string) == 0 else {
            throw .folder("cannot create the folder", folder.cluster, Errno(rawValue: errno))
        }
        rmdir(folder.staging.string)
    }

    private func execute(
        _ program: FilePath, _ arguments: [String], input: String = ""
    ) async throws(EmbeddedPostgresError) {
        let result = try await Command(
            program, arguments, user: folder.serverUser, workingDirectory: folder.path, input: input,
            timeoutSeconds: Self.initializeTimeoutSeconds
        ).run()
        guard result.isSuccess else {
            throw EmbeddedPostgresError(
                .commandFailed,
                "cannot create a cluster in \(folder.path):\n\(ServerLog.lastLines(result.output))\(diskHint)")
        }
    }

    // MARK: - Starting

    private func apply(_ settings: ClusterSettings) async throws(EmbeddedPostgresError) {
        if try settings.areWritten(in: folder) { return }
        await shutDown()
        try settings.write(in: folder)
    }

    private func start(with binaries: Binaries) async throws(EmbeddedPostgresError) {
        try log.make()
        log.trim()
        let deadline = ContinuousClock.now + .seconds(configuration.startTimeoutSeconds)
        while try await !isUp(with: binaries) {
            guard ContinuousClock.now < deadline else { throw startTimedOut }
            try await EmbeddedPostgres.pause()
        }
    }

    /// Whether the server accepts connections. If it certainly does not run, it is started.
    private func isUp(with binaries: Binaries) async throws(EmbeddedPostgresError) -> Bool {
        if let postmaster = try postmaster { return postmaster.isReady }
        return try await launch(with: binaries)
    }

    /// Starts the server in its own session, so that it survives this process. Paths on the command line are relative to
    /// the server folder, because `pg_ctl` does not escape them in its shell command.
    ///
    /// - Returns: false if processes of an earlier server must end first.
    private func launch(with binaries: Binaries) async throws(EmbeddedPostgresError) -> Bool {
        // Files of a server that certainly no longer runs. PostgreSQL would trust their process id, even if another process has it
        // now.
        unlink(postmasterFile.string)
        unlink(folder.socket.appending(".s.PGSQL.\(SocketDirectory.port).lock").string)
        let logStart = log.byteCount
        let result = try await Command(
            binaries.pgCtl,
            [
                "start", "--pgdata", "cluster", "--log", log.path.lastComponent?.string ?? "", "--wait",
                "--timeout", "\(configuration.startTimeoutSeconds)", "--options",
                "-c \(Self.shellQuoted(settingsArgument))",
            ],
            user: folder.serverUser, workingDirectory: folder.path,
            timeoutSeconds: configuration.startTimeoutSeconds + Self.commandMarginSeconds
        ).run()
        if result.isSuccess { return true }
        let messages = log.tail(since: logStart)
        if try postmaster != nil || messages.contains("is still in use") { return false }
        throw EmbeddedPostgresError(
            .commandFailed,
            "cannot start PostgreSQL in \(folder.path):\n\(messages.isEmpty ? result.output : messages)\(diskHint)")
    }

    private static func shellQuoted(_ text: String) -> String {
        "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }

    private var startTimedOut: EmbeddedPostgresError {
        EmbeddedPostgresError(
            .timedOut,
            "PostgreSQL in \(folder.path) did not start within \(configuration.startTimeoutSeconds) s. End of its log:\n"
                + log.tail())
    }

    /// PostgreSQL needs this much for a new cluster. If the disk is full, its log cannot report that.
    private static let lowDiskMegabytes: UInt = 64

    private var diskHint: String {
        var disk = statvfs()
        guard statvfs(folder.path.string, &disk) == 0 else { return "" }
        let freeMegabytes = disk.f_bavail * disk.f_frsize / (1024 * 1024)
        return freeMegabytes < Self.lowDiskMegabytes ? "\nThe disk has only \(freeMegabytes) MB free." : ""
    }
}
