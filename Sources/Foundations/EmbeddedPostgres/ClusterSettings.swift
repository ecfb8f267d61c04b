internal import SystemPackage

/// The settings of a private server. Each owner writes them again.
///
/// Access: PostgreSQL asks the kernel for the user at the other end of the socket (`peer`). Only root and the server user
/// have a line in `pg_ident.conf`, and the server does not listen on a network. So no password is necessary. The program
/// migrates as the role that owns the database and serves as a role that does not. Neither is a superuser. Operators can use the superuser `postgres`, for
/// example for pg_dump.
struct ClusterSettings: Equatable {
    static let role = "card_companion"
    static let serviceRole = "card_companion_service"
    static let database = "card_companion"
    static let superuser = "postgres"

    let configuration: String
    let hostAccess: String
    let userNames: String

    init(folder: ServerFolder, socketDirectory: FilePath, connectionLimit: Int) {
        configuration = Self.configuration(
            folder: folder, socketDirectory: socketDirectory, connectionLimit: connectionLimit)
        hostAccess = """
            local all all peer map=server

            """
        userNames = Set([folder.serverUser.name, "root"]).sorted()
            .flatMap { user in
                [Self.role, Self.serviceRole, Self.superuser].map { "server \(Self.doubleQuoted(user)) \($0)\n" }
            }
            .joined()
    }

    /// The log contains no statements, no parameters, and no messages or details of clients' errors, because they can quote
    /// a value: with `log_min_messages = log`, only the client gets its errors.
    private static func configuration(
        folder: ServerFolder, socketDirectory: FilePath, connectionLimit: Int
    ) -> String {
        """
        # Written by card-companion at each start.
        hba_file = \(quoted(folder.hostAccess.string))
        ident_file = \(quoted(folder.userNames.string))

        listen_addresses = ''
        port = \(SocketDirectory.port)
        unix_socket_directories = \(quoted(doubleQuoted(socketDirectory.string)))
        max_connections = \(connectionLimit)

        shared_buffers = 256MB
        max_wal_size = 256MB
        jit = off
        timezone = 'UTC'

        log_timezone = 'UTC'
        log_line_prefix = '%m [%p] '
        log_min_messages = log
        log_min_error_statement = panic
        log_error_verbosity = terse
        log_statement = 'none'
        log_min_duration_statement = -1
        log_parameter_max_length = 0
        log_parameter_max_length_on_error = 0
        log_checkpoints = off
        log_autovacuum_min_duration = -1

        """
    }

    /// Whether the files already contain these settings.
    ///
    /// - Throws: `inDoubt` if they cannot be read.
    func areWritten(in folder: ServerFolder) throws(EmbeddedPostgresError) -> Bool {
        for (file, text) in [
            (folder.settings, configuration), (folder.hostAccess, hostAccess), (folder.userNames, userNames),
        ] {
            do throws(Errno) {
                guard try TextFile.read(file) == text else { return false }
            } catch {
                throw .inDoubt("cannot read \(file)", error)
            }
        }
        return true
    }

    func write(in folder: ServerFolder) throws(EmbeddedPostgresError) {
        try TextFile.write(configuration, to: folder.settings, owner: folder.owner)
        try TextFile.write(hostAccess, to: folder.hostAccess, owner: folder.owner)
        try TextFile.write(userNames, to: folder.userNames, owner: folder.owner)
    }

    /// A quoted value in `postgresql.conf` (PostgreSQL's documentation, section 20.1.2).
    private static func quoted(_ value: String) -> String {
        "'" + escaped(value, ["'", "\\"]) + "'"
    }

    /// A quoted name in a list of names, or in `pg_ident.conf`.
    private static func doubleQuoted(_ name: String) -> String {
        "\"" + escaped(name, ["\""]) + "\""
    }

    private static func escaped(_ text: String, _ special: Set<Character>) -> String {
        text.reduce(into: "") { $0 += special.contains($1) ? "\($1)\($1)" : "\($1)" }
    }
}
