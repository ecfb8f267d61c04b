import Glibc

/// The limit of open files. Servers that this process starts inherit it.
enum FileLimit {
    /// Raises it as far as the system allows, for many connections.
    static func raise() {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}
