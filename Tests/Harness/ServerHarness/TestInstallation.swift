internal import CardCompanion
internal import CardCompanionModel
internal import Foundation

/// An installation of the program under test: its own database, a data folder with its vault, and any number of servers.
package final class TestInstallation: Sendable {
    /// The database's connection string for the role that serves, in libpq's format.
    package let databaseURL: String
    /// The same for the role that owns the schema.
    package let ownerURL: String
    package let dataDirectory: String
    /// Of all its programs, beside the database and the data folder.
    private let moreEnvironment: [String: String]
    /// Who changes the database in this process. Tests at once would get in each other's way in the inventory, and begin again.
    private let setup: AsyncLock

    /// An installation without banks. It has its keys, as after the first start of a server, because an RSA key takes long to make.
    ///
    /// - Parameters:
    ///   - cluster: nil uses the shared cluster.
    ///   - environment: of all its programs, beside the database and the data folder.
    ///   - isNew: whether it has no keys yet. One with a vault of its own has none either.
    package init(
        on cluster: TestCluster? = nil, environment: [String: String] = [:], isNew: Bool = false
    ) async throws {
        let shared = try await TestCluster.shared.value
        dataDirectory = TestFolder.shared.unused("data")
        let hasKeys = !isNew && !environment.keys.contains { $0.hasPrefix("VAULT_") }
        (databaseURL, ownerURL) = try await (cluster ?? shared).makeDatabase(
            vaultFile: hasKeys ? "\(dataDirectory)/vault.key" : nil)
        moreEnvironment = environment
        setup = AsyncLock()
    }

    private init(
        _ urls: (service: String, owner: String), _ dataDirectory: String, _ environment: [String: String],
        _ setup: AsyncLock = AsyncLock()
    ) {
        (databaseURL, ownerURL) = urls
        self.dataDirectory = dataDirectory
        moreEnvironment = environment
        self.setup = setup
    }

    /// The same installation with other settings in its environment.
    package func with(environment: [String: String]) -> TestInstallation {
        TestInstallation((databaseURL, ownerURL), dataDirectory, environment, setup)
    }

    /// A copy of its database and its data folder, for tests that all begin alike. The installation must be on the shared cluster,
    /// and nothing may use it any more.
    package func copy() async throws -> TestInstallation {
        let urls = try await TestCluster.shared.value.copyDatabase(ownerURL)
        let folder = TestFolder.shared.unused("data")
        try FileManager.default.copyItem(atPath: dataDirectory, toPath: folder)
        return TestInstallation(urls, folder, moreEnvironment)
    }

    /// Runs a command of the program and waits for its end.
    ///
    /// - Parameters:
    ///   - user: who runs it, as sudo says; nil for the user of the tests.
    ///   - login: the uid of the user who has logged in, as the kernel says; nil if nobody has.
    ///   - clockOffsetSeconds: how far its wall clock is ahead of the machine's, or behind if it is negative.
    package func run(
        _ arguments: [String], stdin: String = "", as user: String? = nil, login: UInt32? = nil,
        clockOffsetSeconds: Int = 0
    ) async throws -> CommandResult {
        var environment = environment
        if clockOffsetSeconds != 0 {
            let file = try TestFolder.shared.write("\(clockOffsetSeconds)", named: "clock-offset")
            environment.merge(try await ShiftedClock.environment(offsetFile: file)) { $1 }
        }
        environment["SUDO_USER"] = user
        // Another program can use the usual port of this machine.
        if arguments.first == "doctor" { environment["HTTP_PORT"] = "0" }
        let needsOwner = [["migrate"], ["audit", "close"], ["database", "restored"]]
        if needsOwner.contains(where: { arguments.starts(with: $0) }) {
            environment["DATABASE_URL"] = ownerURL
        }
        // Most commands do not ask who has logged in.
        let isAsked = user != nil || login != nil
        let (program, arguments) =
            isAsked
            ? TestLogin.command(CardCompanionBinary.path, arguments, uid: login) : (CardCompanionBinary.path, arguments)
        return try await TestCommand.run(program, arguments, environment: environment, stdin: stdin)
    }

    /// Makes something that a test needs, in this process and without a command.
    ///
    /// - Returns: false if only the program can do it, because its vault is a token or its database is behind a pooler.
    func makes(
        for bankId: String, _ body: @Sendable @escaping (DirectSetup, Identifier) async throws -> Void
    ) async throws -> Bool {
        let places = ["DATABASE_URL", "DATABASE_POOLING", "DATA_DIRECTORY", "VAULT_MODULE", "VAULT_FILE"]
        guard !moreEnvironment.keys.contains(where: places.contains), let id = Identifier(bankId) else { return false }
        try await setUp { try await body($0, id) }
        return true
    }

    private func setUp(_ body: @Sendable @escaping (DirectSetup) async throws -> Void) async throws {
        try await setup.withLock {
            try await DirectSetup.run(at: databaseURL, vaultFile: "\(dataDirectory)/vault.key", body)
        }
    }

    /// Starts a server on a free port and waits until it listens.
    ///
    /// - Parameters:
    ///   - arguments: arguments after `serve`.
    ///   - environment: added to the installation's variables; replaces variables of the same name.
    ///   - launcher: a program with arguments that starts the server.
    ///   - clockOffsetSeconds: how far its wall clock is ahead of the machine's, or behind if it is negative.
    ///   - clockOffsetFile: a file with that number, which can change while the server runs.
    package func startServer(
        _ arguments: [String] = [], environment: [String: String] = [:], launcher: [String] = [],
        clockOffsetSeconds: Int = 0, clockOffsetFile: String? = nil
    ) async throws -> TestServer {
        var environment = self.environment.merging(["HTTP_PORT": "0"]) { $1 }.merging(environment) { $1 }
        var clockOffsetFile = clockOffsetFile
        if clockOffsetSeconds != 0 {
            clockOffsetFile = try TestFolder.shared.write("\(clockOffsetSeconds)", named: "clock-offset")
        }
        if let clockOffsetFile {
            environment.merge(try await ShiftedClock.environment(offsetFile: clockOffsetFile)) { $1 }
        }
        return try await TestServer(
            arguments: ["serve", "--data-directory", dataDirectory] + arguments, environment: environment,
            launcher: launcher)
    }

    /// Makes the sandbox, starts its server on a free port, and waits until it listens.
    package func startSandbox() async throws -> TestServer {
        try await TestServer(
            program: CardCompanionBinary.sandboxPath, arguments: ["serve", "--data-directory", dataDirectory],
            environment: environment.merging(["HTTP_PORT": "0"]) { $1 })
    }

    /// Runs a command of the sandbox's program and waits for its end.
    package func runSandbox(_ arguments: [String]) async throws -> CommandResult {
        try await TestCommand.run(CardCompanionBinary.sandboxPath, arguments, environment: environment)
    }

    /// Runs statements on the database in one transaction, as the owner of the schema.
    ///
    /// - Returns: one line per row, with columns separated by `|`.
    @discardableResult
    package func sql(_ statements: String) async throws -> [String] {
        try await SQL.run(statements, at: ownerURL)
    }

    /// As ``sql(_:)``, for what would take a command, or time: afterwards the inventory has the banks as the database has them. The
    /// installation must have no dual control.
    ///
    /// - Parameter banks: none for the keys of the installation.
    @discardableResult
    package func sqlAsCommand(_ statements: String, of banks: String...) async throws -> [String] {
        let rows = try await sql(statements)
        let ids = banks.compactMap { Identifier($0) }
        try await setUp { try await $0.listAgain(ids) }
        return rows
    }

    /// As ``sql(_:)``, as a superuser.
    @discardableResult
    package func sqlAsSuperuser(_ statements: String) async throws -> [String] {
        try await SQL.run(statements, at: "\(ownerURL) user=postgres")
    }

    /// As ``sqlAsSuperuser(_:)``, without triggers and foreign keys.
    @discardableResult
    package func attack(_ statements: String) async throws -> [String] {
        try await sqlAsSuperuser("SET session_replication_role = replica; \(statements)")
    }

    /// Changes a line of all banks' settings with their digest, as the database's owner can.
    ///
    /// - Parameter isHidden: whether the banks keep their revision, so that running servers do not load them again.
    package func forgeSetting(_ line: String, _ forged: String, isHidden: Bool = false) async throws {
        let settings = "replace(settings, '\n\(line)\n', '\n\(forged)\n')"
        let change = """
            UPDATE bank SET settings = \(settings), settings_digest = sha256(convert_to(\(settings), 'UTF8'))
                WHERE settings <> \(settings) RETURNING bank_id;
            """
        let changed = try await sql(
            isHidden
                ? "ALTER TABLE bank DISABLE TRIGGER USER; \(change) ALTER TABLE bank ENABLE TRIGGER USER" : change)
        guard !changed.isEmpty else { throw SetupFailed(description: "no bank has the setting '\(line)'") }
    }

    /// The database's connection string for sessions with the rights of another role, which must exist.
    package func databaseURL(role: String) -> String { "\(ownerURL) user=postgres options='-c role=\(role)'" }

    /// Runs statements with the rights of another role.
    @discardableResult
    package func sqlAsRole(_ role: String, _ statements: String) async throws -> [String] {
        try await sqlAsSuperuser("SET LOCAL ROLE \(role); \(statements)")
    }

    /// Runs statements as the role that serves.
    package func sqlAsServer(_ statements: String) async throws -> [String] {
        try await SQL.run(statements, at: databaseURL)
    }

    /// Waits until PostgreSQL has ended the sessions of servers that have stopped. By then they have told their statistics.
    package func untilNoServerIsConnected() async throws {
        try await eventually("no server is connected") {
            try await sql(
                """
                SELECT 1 FROM pg_stat_activity
                WHERE datname = current_database() AND application_name = 'card-companion'
                """) == []
        }
    }

    package var environment: [String: String] {
        [
            "DATABASE_URL": databaseURL, "DATA_DIRECTORY": dataDirectory,
            // Tests run beside each other, on machines that do other things too.
            "DATABASE_ANSWER_TIMEOUT_MILLISECONDS": "60000", "DATABASE_STATEMENT_TIMEOUT_MILLISECONDS": "60000",
            "DATABASE_ACQUIRE_TIMEOUT_SECONDS": "20",
            "HTTP_DRAIN_SECONDS": "0",
            // Only tests about it let the server refuse requests.
            "HTTP_REQUESTS": "1000",
        ].merging(moreEnvironment) { $1 }
    }
}
