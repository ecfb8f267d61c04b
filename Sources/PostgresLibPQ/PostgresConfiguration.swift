/// Where the database is, and the client's limits.
public struct PostgresConfiguration: Sendable {
    /// A libpq connection string: a URI (`postgresql://user@host1,host2/db?target_session_attrs=read-write`) or
    /// `key=value` pairs, with any of libpq's parameters (PostgreSQL documentation, section 34.1.2), TLS among them.
    /// What it names wins over the limits here. It may hold a password, so it is never logged.
    public var url: String

    /// How the server names its sessions in `pg_stat_activity`.
    public var applicationName = "swift-postgres-libpq"

    /// How many connections are kept even when there is nothing to do.
    public var minimumConnections = 1

    /// How many connections there are at most. Leases take at most one fewer, if there are two or more.
    public var maximumConnections = 8

    /// How many connections are being made at once at most; after a failure it is one.
    public var maximumConcurrentConnects = 2

    /// How many statements or batches are under way on one shared connection at most.
    public var pipelineDepth = 32

    /// How many callers wait for a connection at most; one more fails at once.
    public var maximumWaiters = 1_000

    /// How many different statements are prepared on one connection at most; further ones are prepared at each use.
    public var maximumPreparedStatements = 500

    /// How long a caller waits for a connection, in seconds.
    public var acquireTimeoutSeconds = 5.0

    /// How long the server works at one statement, in milliseconds; 0 is for ever.
    public var statementTimeoutMilliseconds = 10_000

    /// How long after the statement timeout a silent server is held for dead, in seconds.
    public var silenceGraceSeconds = 5.0

    /// How long a transaction may stand open without a statement before the server ends it, in milliseconds; 0 is for
    /// ever.
    public var idleInTransactionTimeoutMilliseconds = 60_000

    /// How long connecting to one host may take, in whole seconds; libpq takes less than 2 for 2.
    public var connectTimeoutSeconds = 5

    /// After how many seconds without work a connection beyond the minimum is closed.
    public var idleTimeoutSeconds = 60.0

    /// How long work that is under way at shutdown may go on, in seconds.
    public var shutdownTimeoutSeconds = 10.0

    /// How reconnecting is spaced out.
    public var backOff = PostgresBackOffLimits()

    /// The defaults, for the database at `url`.
    public init(url: String) {
        self.url = url
    }
}

/// How long to wait before each further attempt: twice as long each time, up to a limit, less a random part.
public struct PostgresBackOffLimits: Hashable, Sendable {
    /// Before the second attempt, in milliseconds.
    public var initialMilliseconds = 100

    /// At most, in milliseconds.
    public var maximumMilliseconds = 10_000

    /// A connection that ends sooner than this many milliseconds after it was made counts as a failed attempt.
    public var stableAfterMilliseconds = 1_000

    /// The defaults.
    public init() {}

    /// Limits of one's own.
    public init(initialMilliseconds: Int, maximumMilliseconds: Int, stableAfterMilliseconds: Int = 1_000) {
        self.initialMilliseconds = initialMilliseconds
        self.maximumMilliseconds = maximumMilliseconds
        self.stableAfterMilliseconds = stableAfterMilliseconds
    }
}

extension PostgresConfiguration: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The limits that matter most, without the URL.
    public var description: String {
        "PostgresConfiguration(applicationName: \(applicationName), maximumConnections: \(maximumConnections))"
    }

    /// See ``description``.
    public var debugDescription: String { description }

    /// Nothing, so that `dump` does not show the URL either.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension PostgresConfiguration {
    /// - Throws: ``PostgresError/Code/invalidConfiguration`` if a limit makes no sense or the URL cannot be read.
    public func validate() throws(PostgresError) {
        for (name, holds) in rules where !holds { throw PostgresError(.invalidConfiguration, name) }
        _ = try ConnectionParameters(self)
    }

    private var rules: [(String, Bool)] {
        [
            ("maximumConnections is not positive", maximumConnections > 0),
            ("minimumConnections is negative", minimumConnections >= 0),
            ("minimumConnections is more than the maximum", minimumConnections <= maximumConnections),
            ("maximumConcurrentConnects is not positive", maximumConcurrentConnects > 0),
            ("pipelineDepth is not positive", pipelineDepth > 0),
            ("maximumWaiters is not positive", maximumWaiters > 0),
            ("maximumPreparedStatements is negative", maximumPreparedStatements >= 0),
            ("acquireTimeoutSeconds is not positive", acquireTimeoutSeconds > 0),
            ("statementTimeoutMilliseconds is out of range", 0...Int(Int32.max) ~= statementTimeoutMilliseconds),
            ("silenceGraceSeconds is not positive", silenceGraceSeconds > 0),
            (
                "idleInTransactionTimeoutMilliseconds is out of range",
                0...Int(Int32.max) ~= idleInTransactionTimeoutMilliseconds
            ),
            ("connectTimeoutSeconds is not positive", connectTimeoutSeconds > 0),
            ("idleTimeoutSeconds is not positive", idleTimeoutSeconds > 0),
            ("shutdownTimeoutSeconds is negative", shutdownTimeoutSeconds >= 0),
            ("backOff.initialMilliseconds is not positive", backOff.initialMilliseconds > 0),
            (
                "backOff.maximumMilliseconds is less than the initial",
                backOff.maximumMilliseconds >= backOff.initialMilliseconds
            ),
        ]
    }
}

extension PostgresConfiguration {
    /// Nil is for ever.
    var statementTimeout: Duration? {
        statementTimeoutMilliseconds > 0 ? .milliseconds(statementTimeoutMilliseconds) : nil
    }

    /// How long the server may be silent over a command of the client's own.
    var maximumSilence: Duration? {
        statementTimeout.map { $0 + .seconds(silenceGraceSeconds) }
    }
}
