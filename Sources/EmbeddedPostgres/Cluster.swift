internal import Glibc
internal import Logging
internal import SystemPackage

/// A cluster and its server process. Whoever calls this holds the lock that lets nobody else do the same.
struct Cluster: Sendable {
    let folder: ServerFolder
    let configuration: EmbeddedPostgresConfiguration
    let logger: Logger

    private static let pollMilliseconds = 100
    private static let initializeTimeoutSeconds = 180
    private static let immediateStopTimeoutSeconds = 15
    private static let killTimeoutSeconds = 5

    /// `pg_ctl` has its own limit for the start, and this much more to say that it has passed.
    private static let commandMarginSeconds = 5

    var log: ServerLog { ServerLog(path: folder.log, serverUser: folder.serverUser) }

    /// The server, if it runs.
    var postmaster: Postmaster? {
        guard let text = TextFile.read(postmasterFile), let postmaster = Postmaster(pidFile: text) else { return nil }
        return postmaster.wasStarted(with: settingsArgument) ? postmaster : nil
    }

    /// Makes the cluster if there is none, starts its server if that does not run, and waits until it takes
    /// connections. A server that somebody left running is taken over; with other settings it is started anew.
    func bringUp(socketDirectory: FilePath) async throws(EmbeddedPostgresError) {
        let version = try majorVersion
        let binaries = try await Binaries.find(
            configured: configuration.binaryDirectory, clusterVersion: version, user: folder.serverUser)
        if version == nil { try await create(with: binaries) }
        try await apply(ServerSettings(folder: folder, socketDirectory: socketDirectory))
        try await start(with: binaries)
    }

    /// Stops the server: sessions are ended and all is written to disk; if that takes too long, the next start
    /// recovers what was committed. (PostgreSQL's documentation, section 19.5.)
    func shutDown() async {
        // A task of its own, for this must go to its end although the calling one has been cancelled.
        await Task { await stop() }.value
    }

    private func stop() async {
        let steps = [
            (SIGINT, configuration.stopTimeoutSeconds), (SIGQUIT, Self.immediateStopTimeoutSeconds),
            (SIGKILL, Self.killTimeoutSeconds),
        ]
        for (signal, timeoutSeconds) in steps {
            guard let postmaster else { return }
            kill(postmaster.processID, signal)
            let deadline = ContinuousClock.now + .seconds(timeoutSeconds)
            while postmaster.wasStarted(with: settingsArgument), ContinuousClock.now < deadline {
                try? await Task.sleep(for: .milliseconds(Self.pollMilliseconds))
            }
        }
        if postmaster != nil { logger.error("PostgreSQL does not stop", metadata: ["folder": "\(folder.path)"]) }
    }

    // MARK: - Making

    private var postmasterFile: FilePath { folder.cluster.appending("postmaster.pid") }

    /// On the server's command line it tells this cluster's server from every other process.
    private var settingsArgument: String { "config_file=\(folder.settings)" }

    /// The version that made the cluster; nil if there is none.
    private var majorVersion: Int? {
        get throws(EmbeddedPostgresError) {
            guard (try? Stat(folder.cluster, followTargetSymlink: false)) != nil else { return nil }
            guard let text = TextFile.read(folder.cluster.appending("PG_VERSION")),
                let version = Int(text.prefix { $0.isNumber })
            else {
                throw EmbeddedPostgresError(
                    .folderUnusable, "\(folder.cluster) is no cluster of PostgreSQL's: its PG_VERSION is unreadable")
            }
            return version
        }
    }

    private func create(with binaries: Binaries) async throws(EmbeddedPostgresError) {
        logger.info("making a PostgreSQL cluster", metadata: ["folder": "\(folder.path)"])
        try Directory.make(folder.staging, owner: folder.serverUser)
        let draft = folder.staging.appending("cluster")
        try await execute("rm", ["-rf", "staging/cluster"])
        try await execute(
            binaries.initdb,
            [
                "--pgdata", "staging/cluster", "--username", ServerSettings.superuser, "--encoding", "UTF8",
                "--locale", "C", "--data-checksums", "--auth-local", "peer", "--auth-host", "reject",
                "--no-instructions",
            ])
        try await execute(
            binaries.postgres,
            ["--single", "-D", "staging/cluster", "-c", "exit_on_error=true", "template1"],
            input: """
                CREATE ROLE \(ServerSettings.role) LOGIN
                CREATE DATABASE \(ServerSettings.database) OWNER \(ServerSettings.role)

                """)
        guard rename(draft.string, folder.cluster.string) == 0 else {
            throw .folder("cannot make the folder", folder.cluster, Errno(rawValue: errno))
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
                "cannot make a PostgreSQL cluster in \(folder.path):\n\(ServerLog.lastLines(result.output))\(diskHint)")
        }
    }

    // MARK: - Starting

    private func apply(_ settings: ServerSettings) async throws(EmbeddedPostgresError) {
        if settings.areWritten(in: folder) { return }
        await shutDown()
        try settings.write(in: folder)
    }

    private func start(with binaries: Binaries) async throws(EmbeddedPostgresError) {
        try log.make()
        log.trim()
        let deadline = ContinuousClock.now + .seconds(configuration.startTimeoutSeconds)
        while true {
            if let postmaster {
                if postmaster.isReady { return }
            } else if try await launch(with: binaries) {
                return
            }
            guard ContinuousClock.now < deadline else { throw startTimedOut }
            try await EmbeddedPostgres.pause()
        }
    }

    /// Starts the server in a session of its own, where it outlives this process. Names on the command line are
    /// relative to the server folder, because `pg_ctl` puts them into a shell command unescaped.
    ///
    /// - Returns: false if what is left of an earlier server must end first.
    private func launch(with binaries: Binaries) async throws(EmbeddedPostgresError) -> Bool {
        // Left by a server that is gone: PostgreSQL would believe a process id that was given to another process since.
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
        if postmaster != nil || messages.contains("is still in use") { return false }
        throw EmbeddedPostgresError(
            .commandFailed,
            "PostgreSQL does not start in \(folder.path):\n\(messages.isEmpty ? result.output : messages)\(diskHint)")
    }

    private static func shellQuoted(_ text: String) -> String {
        "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }

    private var startTimedOut: EmbeddedPostgresError {
        EmbeddedPostgresError(
            .timedOut,
            "PostgreSQL in \(folder.path) does not answer within \(configuration.startTimeoutSeconds) s; it last said:\n"
                + log.tail())
    }

    /// PostgreSQL needs this much for a new cluster, and its log cannot say so when the disk is full.
    private static let lowDiskMegabytes: UInt = 64

    private var diskHint: String {
        var disk = statvfs()
        guard statvfs(folder.path.string, &disk) == 0 else { return "" }
        let freeMegabytes = disk.f_bavail * disk.f_frsize / (1024 * 1024)
        return freeMegabytes < Self.lowDiskMegabytes ? "\nThe disk has only \(freeMegabytes) MB left." : ""
    }
}
