package import Administration
internal import Glibc

/// How many files and connections this process can have open (RLIMIT_NOFILE), and how many of them clients get.
package struct Descriptors {
    /// What everything except clients and the database needs: the log, the event loops, PostgreSQL's programs, webhooks.
    static let reserve = 256
    /// The limit of connections without a setting, if so many fit.
    package static let usualConnections = 10_000

    package let limit: Int

    /// Raises the soft limit of this process to the hard limit.
    package static func raised() -> Descriptors {
        var limits = rlimit()
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        guard getrlimit(resource, &limits) == 0 else { return Descriptors(limit: 0) }
        var wanted = limits
        wanted.rlim_cur = limits.rlim_max
        let inForce = setrlimit(resource, &wanted) == 0 ? wanted : limits
        return Descriptors(limit: Int(clamping: inForce.rlim_cur))
    }

    /// How many connections of clients fit.
    ///
    /// - Parameters:
    ///   - configured: the operator's limit; nil if there is none. Then it is the usual one, or what fits.
    ///   - database: the most connections to the database.
    /// - Throws: ``CommandError`` if the operator's limit does not fit.
    package func connections(configured: Int?, database: Int) throws(CommandError) -> Int {
        let room = limit - Self.reserve - database
        guard room > 0, configured ?? 0 <= room else {
            let wanted = configured.map { "http.connections is \($0), but " } ?? ""
            let remedy = configured == nil || room <= 0 ? "" : "lower http.connections to at most \(room), or "
            throw .configuration(
                "\(wanted)this process can have only \(limit) files and connections open, and needs "
                    + "\(Self.reserve + database) of them for other things: \(remedy)raise the limit "
                    + "(LimitNOFILE in the systemd unit, 'ulimit -n' in a shell)")
        }
        return configured ?? min(Self.usualConnections, room)
    }
}
