public import Logging
internal import SystemPackage

/// A private PostgreSQL server, which listens on a Unix socket in its folder and nowhere else.
///
/// Any number of processes may use one data folder at once. One of them is the owner: it starts the server and starts
/// it again when it dies. The others are guests; when the owner leaves, a guest that runs ``run()`` takes its place.
/// The last one out stops the server, so that nobody loses it while at work.
///
/// A process that is killed leaves the server running: the next one to come takes it over.
public actor EmbeddedPostgres {
    /// How to reach the server, as libpq takes it: `host='…' port=… dbname='…' user='…'`. It holds no secret.
    public nonisolated let connectionString: String

    /// Whether this process is the one that starts the server again.
    public private(set) var isOwner: Bool

    private let cluster: Cluster
    private let socketDirectory: FilePath
    private let locks: Locks
    private let logger: Logger
    private var isClosed = false

    private static let watchIntervalSeconds = 1
    private static let pollMilliseconds = 100

    private init(cluster: Cluster, socketDirectory: FilePath, locks: Locks, isOwner: Bool, logger: Logger) {
        self.cluster = cluster
        self.socketDirectory = socketDirectory
        self.locks = locks
        self.isOwner = isOwner
        self.logger = logger
        connectionString = Self.connectionString(socketDirectory: socketDirectory)
    }

    /// Makes the cluster if there is none, starts it if it does not run, and waits until it answers.
    ///
    /// Whoever opens must call ``run()`` or ``close()`` in the end, and not both at once.
    ///
    /// - Throws: where there is no PostgreSQL, none of the cluster's version, no usable folder, or no answer within
    ///   the configured time.
    public static func open(
        _ configuration: EmbeddedPostgresConfiguration, logger: Logger
    ) async throws(EmbeddedPostgresError) -> EmbeddedPostgres {
        let folder = try await ServerFolder.locate(configuration)
        let cluster = Cluster(folder: folder, configuration: configuration, logger: logger)
        let locks = try Locks(folder)
        let deadline = ContinuousClock.now + .seconds(configuration.startTimeoutSeconds)
        // The last one out holds this lock alone while it stops the server.
        while !locks.users.tryShared() { try await waitForOthers(in: folder, until: deadline) }
        while true {
            if locks.owner.tryExclusive() { return try await openAsOwner(cluster, locks, logger) }
            if cluster.postmaster?.isReady == true, let socketDirectory = SocketDirectory.current(of: folder) {
                return EmbeddedPostgres(
                    cluster: cluster, socketDirectory: socketDirectory, locks: locks, isOwner: false, logger: logger)
            }
            try await waitForOthers(in: folder, until: deadline)
        }
    }

    /// Restarts the server if it dies, until the task is cancelled; then does what ``close()`` does.
    ///
    /// - Throws: when the server has died and ten attempts to start it again have failed.
    public func run() async throws {
        do {
            try await watch()
        } catch is CancellationError {
            return await close()
        } catch {
            await close()
            throw error
        }
    }

    /// Leaves the server, and stops it unless another process uses it.
    public func close() async {
        if isClosed { return }
        isClosed = true
        isOwner = false
        await Self.leave(cluster, locks)
    }

    // MARK: - Owning

    private static func openAsOwner(
        _ cluster: Cluster, _ locks: Locks, _ logger: Logger
    ) async throws(EmbeddedPostgresError) -> EmbeddedPostgres {
        do throws(EmbeddedPostgresError) {
            let socketDirectory = try SocketDirectory.prepare(in: cluster.folder)
            try await cluster.bringUp(socketDirectory: socketDirectory)
            return EmbeddedPostgres(
                cluster: cluster, socketDirectory: socketDirectory, locks: locks, isOwner: true, logger: logger)
        } catch {
            // A recovery that takes long must be let finish, or no start would ever succeed.
            if error.code != .timedOut { await leave(cluster, locks) }
            throw error
        }
    }

    private static func leave(_ cluster: Cluster, _ locks: Locks) async {
        locks.owner.unlock()
        if locks.users.tryExclusive() { await cluster.shutDown() }
        locks.users.unlock()
    }

    private func watch() async throws {
        var backoff = RestartBackoff()
        while true {
            try await Task.sleep(for: .seconds(Self.watchIntervalSeconds))
            if !isOwner { isOwner = locks.owner.tryExclusive() }
            guard isOwner else { continue }
            cluster.log.trim()
            if cluster.postmaster == nil { try await restart(&backoff) }
        }
    }

    private func restart(_ backoff: inout RestartBackoff) async throws {
        logger.error("PostgreSQL has died", metadata: ["log": "\(cluster.log.tail())"])
        while let delaySeconds = backoff.nextDelaySeconds(now: .now) {
            try await Task.sleep(for: .seconds(delaySeconds))
            do throws(EmbeddedPostgresError) {
                try await cluster.bringUp(socketDirectory: socketDirectory)
                backoff.started(now: .now)
                return logger.notice("PostgreSQL runs again")
            } catch {
                if error.code == .cancelled { throw CancellationError() }
                logger.error("PostgreSQL cannot be started again", metadata: ["error": "\(error)"])
            }
        }
        throw EmbeddedPostgresError(
            .commandFailed, "PostgreSQL died, and could not be started \(RestartBackoff.attemptLimit) times in a row")
    }

    // MARK: - Waiting

    private static func waitForOthers(
        in folder: ServerFolder, until deadline: ContinuousClock.Instant
    ) async throws(EmbeddedPostgresError) {
        guard ContinuousClock.now < deadline else {
            throw EmbeddedPostgresError(
                .timedOut, "another process starts or stops PostgreSQL in \(folder.path), and does not get it done")
        }
        try await pause()
    }

    static func pause() async throws(EmbeddedPostgresError) {
        do {
            try await Task.sleep(for: .milliseconds(pollMilliseconds))
        } catch {
            throw .cancelled
        }
    }

    private static func connectionString(socketDirectory: FilePath) -> String {
        let host = socketDirectory.string.reduce(into: "") { $0 += "'\\".contains($1) ? "\\\($1)" : "\($1)" }
        return "host='\(host)' port=\(SocketDirectory.port) dbname='\(ServerSettings.database)' "
            + "user='\(ServerSettings.role)'"
    }
}

/// The two locks of a server folder, in the order in which they are taken: ``users`` first.
private struct Locks {
    /// Shared by all who use the server; held alone by the last one out while it stops the server.
    let users: FileLock

    /// Held by the one that starts the server.
    let owner: FileLock

    init(_ folder: ServerFolder) throws(EmbeddedPostgresError) {
        users = try FileLock(folder.usersLock, owner: folder.owner)
        owner = try FileLock(folder.ownerLock, owner: folder.owner)
    }
}
