internal import Foundation

/// A pgbouncer in front of the database of an installation, on a Unix socket.
package final class Pgbouncer: Sendable {
    package enum Mode: String, Sendable, CaseIterable {
        /// A client keeps its session as long as it is connected.
        case session
        /// A client can get another session for each transaction.
        case transaction
    }

    /// The environment variables of a server that connects through it.
    package let environment: [String: String]

    private let process: TestProcess

    private static let port = 6432
    private static let startLimitSeconds = 300
    private static let pollMilliseconds = 20

    /// Starts it and waits until it accepts connections.
    ///
    /// - Parameter sessions: how many sessions of the database it has at most.
    package init(_ mode: Mode, inFrontOf installation: TestInstallation, sessions: Int) async throws {
        let folder = TestFolder.shared.unused("pgbouncer")
        // It refuses to run as root, and then runs as the user of the database.
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o777])
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder)
        environment = [
            "DATABASE_URL": "host=\(folder) port=\(Self.port) dbname=cards user=app", "DATABASE_POOLING": mode.rawValue,
        ]
        let settings = "\(folder)/pgbouncer.ini"
        try Self.settings(mode, installation.databaseURL, folder, sessions)
            .write(toFile: settings, atomically: false, encoding: .utf8)
        let asDatabaseUser = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
        process = try TestProcess(
            (geteuid() == 0 ? asDatabaseUser : []) + ["pgbouncer", "--quiet", settings],
            environment: ["PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"])
        try TestFolder.shared.watch(process: process.processID)
        try await wait(for: "\(folder)/.s.PGSQL.\(Self.port)", log: "\(folder)/log")
    }

    /// Ends it at once.
    package func stop() {
        process.send(SIGKILL)
        TestFolder.shared.forget(process: process.processID)
    }

    /// pgbouncer does not know the connection parameter `options`, so the database has these settings.
    package static func prepare(_ installation: TestInstallation) async throws {
        try await installation.sql(
            """
            DO $$ BEGIN
                EXECUTE format('ALTER DATABASE %I SET search_path = card_companion', current_database());
                EXECUTE format('ALTER DATABASE %I SET statement_timeout = ''60s''', current_database());
            END $$
            """)
    }

    private static func settings(_ mode: Mode, _ url: String, _ folder: String, _ sessions: Int) -> String {
        """
        [databases]
        cards = \(url)

        [pgbouncer]
        pool_mode = \(mode.rawValue)
        default_pool_size = \(sessions)
        ignore_startup_parameters = options
        auth_type = any
        unix_socket_dir = \(folder)
        listen_port = \(port)
        logfile = \(folder)/log

        """
    }

    private func wait(for socket: String, log: String) async throws {
        let deadline = ContinuousClock.now + .seconds(Self.startLimitSeconds)
        while !FileManager.default.fileExists(atPath: socket) {
            guard process.isRunning, ContinuousClock.now < deadline else {
                let text = try? String(contentsOfFile: log, encoding: .utf8)
                throw ServerFailed(log: "pgbouncer did not start: \(text ?? "it has written no log")")
            }
            try await Task.sleep(for: .milliseconds(Self.pollMilliseconds))
        }
    }
}
