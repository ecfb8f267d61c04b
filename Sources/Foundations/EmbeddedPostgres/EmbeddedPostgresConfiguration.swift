internal import SystemPackage

/// The location and the time limits of a private PostgreSQL cluster.
package struct EmbeddedPostgresConfiguration: Sendable {
    /// The data folder of the program. The cluster is in its subfolder `postgres`. If the unprivileged user of the database
    /// cannot enter the data folder, `postgres` is a symbolic link to a folder under `/var/lib/card-companion`.
    package var dataDirectory: String

    /// The folder with `postgres`, `initdb` and `pg_ctl`. If nil, the usual folders are searched.
    package var binaryDirectory: String?

    /// The time limit of a start, including recovery after a crash. After a timeout the server continues to start.
    package var startTimeoutSeconds = 60

    /// The time limit of a fast shutdown. Afterwards an immediate shutdown follows.
    package var stopTimeoutSeconds = 30

    /// How many connections the server takes.
    package var connectionLimit = 100

    /// The folder for clusters whose data folder the user of the database cannot enter.
    var systemDirectory: FilePath = "/var/lib/card-companion"

    /// A configuration with the default limits.
    package init(dataDirectory: String) {
        self.dataDirectory = dataDirectory
    }
}
