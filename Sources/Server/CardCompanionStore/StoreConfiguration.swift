/// Where the database is, and the limits of its use.
package struct StoreConfiguration: Sendable {
    /// A libpq connection string. It can hold a password, so it is never logged.
    package var url: String
    /// The most connections.
    package var maximumConnections = 8
    /// How long the database can work on one statement.
    package var statementTimeoutMilliseconds = 10_000
    /// How long a request waits for a connection.
    package var acquireTimeoutSeconds = 2
    /// Whether each transaction can have another session, because a pooler is in between.
    package var changesSessions = false

    /// The default limits, for the database at `url`.
    package init(url: String) {
        self.url = url
    }
}
