package import Logging
internal import SystemPackage

/// A private PostgreSQL server. It listens only on a Unix socket in its folder.
///
/// Any number of processes can use one data folder at the same time. One of them is the owner: it starts the server, and
/// restarts it if it dies. The others are guests. When the owner closes, a guest that runs ``run()`` becomes the owner. The
/// last process that closes stops the server.
///
/// If a process is killed, the server continues to run. The next process takes it over.
package actor EmbeddedPostgres {
    /// The libpq connection string of the role that owns the database: `host='…' port=… dbname='…' user='…'`. It contains
    /// no secret.
    package nonisolated let connectionString: String

    /// The same for the role that serves. It owns nothing.
    package nonisolated let serviceConnectionString: String

    /// Whether this process is the owner, which restarts the server.
    package private(set) var isOwner: Bool

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
        connectionString = Self.connectionString(socketDirectory: socketDirectory, role: ClusterSettings.role)
        serviceConnectionString = Self.connectionString(
            socketDirectory: socketDirectory, role: ClusterSettings.serviceRole)
    }

    /// Creates the cluster if there is none, starts it if it does not run, and waits until it answers.
    ///
    /// Afterwards the caller must call ``run()`` or ``close()``, but not both at the same time.
    ///
    /// - Throws: if PostgreSQL is not installed, no installed version matches the cluster, the folder cannot be used, or
    ///   the server does not answer within the configured time.
    package static func open(
        _ configuration: EmbeddedPostgresConfiguration, logger: Logger
    ) async throws(EmbeddedPostgresError) -> EmbeddedPostgres {
        let folder = try await ServerFolder.locate(configuration)
        let cluster = Cluster(folder: folder, configuration: configuration, logger: logger)
        let locks = try Locks(folder)
        let deadline = ContinuousClock.now + .seconds(configuration.startTimeoutSeconds)
        // The last process holds this lock exclusively while it stops the server.
        while !locks.users.tryShared() { try await waitForOthers(in: folder, until: deadline) }
        while true {
            if locks.owner.tryExclusive() { return try await openAsOwner(cluster, locks, logger) }
            if let postmaster = try? cluster.postmaster, postmaster.isReady,
                let socketDirectory = SocketDirectory.current(of: folder)
            {
                return EmbeddedPostgres(
                    cluster: cluster, socketDirectory: socketDirectory, locks: locks, isOwner: false, logger: logger)
            }
            try await waitForOthers(in: folder, until: deadline)
        }
    }

    /// Restarts the server whenever it dies, until the task is cancelled. Then it closes, like ``close()``.
    ///
    /// - Throws: when the server has died and ten attempts to start it again have failed.
    package func run() async throws {
        do {
            try await watch()
        } catch is CancellationError {
            return await close()
        } catch {
            await close()
            throw error
        }
    }

    /// Stops using the server. Stops the server if no other process uses it.
    package func close() async {
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
            // After a timeout the server may still be in recovery. It must be able to finish, or no start would succeed.
            if error.code != .timedOut { await leave(cluster, locks) }
            throw error
        }
    }

    private static func leave(_ cluster: Cluster, _ locks: Locks) async {
        locks.owner.unlock()
        if locks.users.tryExclusive() { await cluster.shutDown() }
        locks.users.unlock()
    }

    /// Only a certain death leads to a restart. In doubt, the server is left alone.
    private func watch() async throws {
        var attempts = RestartAttempts()
        var isInDoubt = false
        while true {
            try await Task.sleep(for: .seconds(Self.watchIntervalSeconds))
            if !isOwner { isOwner = locks.owner.tryExclusive() }
            guard isOwner else { continue }
            cluster.log.trim()
            let isDead: Bool
            do throws(EmbeddedPostgresError) {
                isDead = try cluster.postmaster == nil
            } catch {
                if !isInDoubt { logger.warning("PostgreSQL could not be watched", metadata: ["error": "\(error)"]) }
                isInDoubt = true
                continue
            }
            isInDoubt = false
            if isDead { try await restart(&attempts) }
        }
    }

    private func restart(_ attempts: inout RestartAttempts) async throws {
        logger.error("PostgreSQL died", metadata: ["log": "\(cluster.log.tail())"])
        while let delay = attempts.nextDelay(now: .now) {
            try await Task.sleep(for: delay)
            do throws(EmbeddedPostgresError) {
                try await cluster.bringUp(socketDirectory: socketDirectory)
                attempts.started(now: .now)
                return logger.notice("PostgreSQL was restarted")
            } catch {
                if error.code == .cancelled { throw CancellationError() }
                if error.code == .inDoubt { attempts.wasNotMade() }
                logger.error("PostgreSQL could not be restarted", metadata: ["error": "\(error)"])
            }
        }
        throw EmbeddedPostgresError(
            .commandFailed, "PostgreSQL died, and \(RestartAttempts.limit) restarts in a row failed: see its log")
    }

    // MARK: - Waiting

    private static func waitForOthers(
        in folder: ServerFolder, until deadline: ContinuousClock.Instant
    ) async throws(EmbeddedPostgresError) {
        guard ContinuousClock.now < deadline else {
            throw EmbeddedPostgresError(
                .timedOut, "timeout: another process is still starting or stopping PostgreSQL in \(folder.path)")
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

    private static func connectionString(socketDirectory: FilePath, role: String) -> String {
        let host = socketDirectory.string.reduce(into: "") { $0 += "'\\".contains($1) ? "\\\($1)" : "\($1)" }
        return "host='\(host)' port=\(SocketDirectory.port) dbname='\(ClusterSettings.database)' "
            + "user='\(role)'"
    }
}

/// The two locks of a server folder. ``users`` is locked first.
private struct Locks {
    /// All users of the server hold it shared. The last one holds it exclusively while it stops the server.
    let users: FileLock

    /// Held by the process that starts the server.
    let owner: FileLock

    init(_ folder: ServerFolder) throws(EmbeddedPostgresError) {
        users = try FileLock(folder.usersLock, owner: folder.owner)
        owner = try FileLock(folder.ownerLock, owner: folder.owner)
    }
}
