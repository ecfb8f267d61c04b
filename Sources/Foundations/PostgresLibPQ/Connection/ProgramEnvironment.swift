internal import CLibPQ

/// PostgreSQL's own programs, such as pg_dump, which use libpq as well.
package enum PostgresProgram {
    /// Environment variables with which such a program connects as a URL says: `PGHOST`, `PGPASSWORD`. Arguments are no place for a
    /// password: everybody on the machine can read them. Parameters that have no variable, such as keepalives, are left out.
    ///
    /// - Throws: ``PostgresError/Code/invalidConfiguration``.
    package static func environment(connectingTo url: String) throws(PostgresError) -> [String: String] {
        try ConnectionParameters.options(of: url) { option in
            guard let variable = option.envvar, let value = option.val else { return nil }
            return (String(cString: variable), String(cString: value))
        }
    }
}
