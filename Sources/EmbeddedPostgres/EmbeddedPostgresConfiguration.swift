internal import SystemPackage

/// Where a private PostgreSQL cluster lives, and how long its commands may take.
public struct EmbeddedPostgresConfiguration: Sendable {
    /// The folder of the program's data. The cluster gets a folder of its own in it, `postgres`; where the database's
    /// unprivileged user may not enter it, `postgres` is a symbolic link to a folder under `/var/lib/card-companion`.
    public var dataDirectory: String

    /// The folder of `postgres`, `initdb` and `pg_ctl`; the usual places are searched where it is nil.
    public var binaryDirectory: String?

    /// How long a start, with its recovery after a crash, may take. It goes on behind an open that has given up.
    public var startTimeoutSeconds = 60

    /// How long a fast shutdown may take before it becomes an immediate one.
    public var stopTimeoutSeconds = 30

    /// The folder for the clusters whose data folder the database's user may not enter.
    var systemDirectory: FilePath = "/var/lib/card-companion"

    /// A configuration with the default limits.
    public init(dataDirectory: String) {
        self.dataDirectory = dataDirectory
    }
}
