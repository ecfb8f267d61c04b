/// The database URL and the client's limits.
package struct PostgresConfiguration: Sendable {
    /// A libpq connection string: a URI (`postgresql://user@host1,host2/db?target_session_attrs=read-write`) or
    /// `key=value` pairs, with any of libpq's parameters (PostgreSQL documentation, section 34.1.2), including those for
    /// TLS. Its parameters override the limits here. It can contain a password, so it is never logged.
    package var url: String

    /// The name of the client's sessions in `pg_stat_activity`.
    package var applicationName = "swift-postgres-libpq"

    /// How the names of the client's metrics begin.
    package var metricPrefix = "postgres"

    /// The schema in which sessions find names; nil for the server's default.
    package var searchPath: String?

    /// How many connections stay open even if they are idle.
    package var minimumConnections = 1

    /// How many connections are open at most. If this is 2 or more, leases use at most one fewer.
    package var maximumConnections = 8

    /// How many connections are opened at the same time at most. After a failure it is one.
    package var maximumConcurrentConnects = 2

    /// How many statements or batches are in flight on one shared connection at most.
    package var pipelineDepth = 32

    /// How many callers wait for a connection at most. One more fails at once.
    package var maximumWaiters = 1_000

    /// How many different statements are prepared on one connection at most. Any others are prepared at each use.
    package var maximumPreparedStatements = 500

    /// How long a caller waits for a connection at most, in seconds.
    package var acquireTimeoutSeconds = 5.0

    /// How long the server works on one statement at most, in milliseconds; 0 means no limit.
    package var statementTimeoutMilliseconds = 10_000

    /// How many seconds after the statement timeout a server that still sends nothing counts as dead.
    package var silenceGraceSeconds = 5.0

    /// How long a transaction may be open without a running statement before the server ends the session, in
    /// milliseconds; 0 means no limit.
    package var idleInTransactionTimeoutMilliseconds = 60_000

    /// How long connecting to one host may take, in whole seconds. libpq treats 1 as 2.
    package var connectTimeoutSeconds = 5

    /// Idle timeout of connections beyond the minimum, in seconds.
    package var idleTimeoutSeconds = 60.0

    /// How long requests in flight may continue at shutdown, in seconds.
    package var shutdownTimeoutSeconds = 10.0

    /// The delays between attempts to connect.
    package var backOff = PostgresBackOffLimits()

    package init(url: String) {
        self.url = url
    }
}

/// The delay before each further attempt: it doubles each time, up to a limit, minus a random part of at most half.
package struct PostgresBackOffLimits: Hashable, Sendable {
    /// The delay before the second attempt, in milliseconds.
    package var initialMilliseconds = 100

    package var maximumMilliseconds = 10_000

    /// A connection that is lost within this many milliseconds after it was opened counts as a failed attempt.
    package var stableAfterMilliseconds = 1_000

    package init() {}

    package init(initialMilliseconds: Int, maximumMilliseconds: Int, stableAfterMilliseconds: Int = 1_000) {
        self.initialMilliseconds = initialMilliseconds
        self.maximumMilliseconds = maximumMilliseconds
        self.stableAfterMilliseconds = stableAfterMilliseconds
    }
}

extension PostgresConfiguration: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The limits that matter most, without the URL.
    package var description: String {
        "PostgresConfiguration(applicationName: \(applicationName), maximumConnections: \(maximumConnections))"
    }

    package var debugDescription: String { description }

    /// Empty, so that `dump` does not show the URL either.
    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension PostgresConfiguration {
    /// - Throws: ``PostgresError/Code/invalidConfiguration`` if a limit is invalid or the URL cannot be parsed.
    package func validate() throws(PostgresError) {
        for (name, holds) in rules where !holds { throw PostgresError(.invalidConfiguration, name) }
        _ = try ConnectionParameters(self)
    }

    private var rules: [(String, Bool)] {
        [
            ("maximumConnections must be at least 1", maximumConnections > 0),
            ("minimumConnections must not be negative", minimumConnections >= 0),
            ("minimumConnections must be at most maximumConnections", minimumConnections <= maximumConnections),
            ("maximumConcurrentConnects must be at least 1", maximumConcurrentConnects > 0),
            ("pipelineDepth must be at least 1", pipelineDepth > 0),
            ("maximumWaiters must be at least 1", maximumWaiters > 0),
            ("maximumPreparedStatements must not be negative", maximumPreparedStatements >= 0),
            ("acquireTimeoutSeconds must be positive", acquireTimeoutSeconds > 0),
            (
                "statementTimeoutMilliseconds must be between 0 and 2147483647",
                0...Int(Int32.max) ~= statementTimeoutMilliseconds
            ),
            ("silenceGraceSeconds must be positive", silenceGraceSeconds > 0),
            (
                "idleInTransactionTimeoutMilliseconds must be between 0 and 2147483647",
                0...Int(Int32.max) ~= idleInTransactionTimeoutMilliseconds
            ),
            ("connectTimeoutSeconds must be at least 1", connectTimeoutSeconds > 0),
            ("idleTimeoutSeconds must be positive", idleTimeoutSeconds > 0),
            ("shutdownTimeoutSeconds must not be negative", shutdownTimeoutSeconds >= 0),
            ("backOff.initialMilliseconds must be at least 1", backOff.initialMilliseconds > 0),
            (
                "backOff.maximumMilliseconds must be at least backOff.initialMilliseconds",
                backOff.maximumMilliseconds >= backOff.initialMilliseconds
            ),
        ]
    }
}

extension PostgresConfiguration {
    /// Nil means no limit.
    var statementTimeout: Duration? {
        statementTimeoutMilliseconds > 0 ? .milliseconds(statementTimeoutMilliseconds) : nil
    }

    /// How long the server may send nothing during one of the client's own commands; nil means no limit.
    var maximumSilence: Duration? {
        statementTimeout.map { $0 + .seconds(silenceGraceSeconds) }
    }
}
