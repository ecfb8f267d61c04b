internal import SystemPackage

/// The newest PostgreSQL that is installed on this machine. Its programs can be used with any server that is not newer.
package enum InstalledPostgres {
    /// The path of a program, for example `pg_dump`; nil if there is none.
    ///
    /// - Parameter folder: where to look; nil for the usual places.
    package static func program(_ name: String, in folder: String?) -> String? {
        Binaries.newest(name, configured: folder)?.string
    }
}
