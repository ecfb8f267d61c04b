internal import Administration
internal import Glibc

/// Gives up the privileges of root.
enum RootPrivileges {
    /// The program that changes user, groups and capabilities (util-linux).
    private static let setpriv = "setpriv"
    /// The only capability that is kept: to listen on a port below 1024.
    private static let kept = "-all,+net_bind_service"

    /// Runs this program again as another user, with the same arguments, environment and process id. Returns only if this
    /// process runs as that user already.
    ///
    /// The program starts again, and does not change its own user, because on Linux each thread has its own capabilities.
    /// So no part of it has ever been privileged.
    ///
    /// - Parameter dataDirectory: is created for the user if it does not exist.
    /// - Throws: ``CommandError``
    static func drop(to name: String, dataDirectory: String) throws(CommandError) {
        guard let entry = getpwnam(name)?.pointee else {
            throw .configuration("server.user: there is no user '\(name)'")
        }
        guard entry.pw_uid != 0 else { throw .configuration("server.user: '\(name)' is root: name another user") }
        if geteuid() == entry.pw_uid { return }
        guard geteuid() == 0 else {
            throw .configuration("server.user is '\(name)': start the server as root, or as '\(name)'")
        }
        if mkdir(dataDirectory, 0o700) == 0 { chown(dataDirectory, entry.pw_uid, entry.pw_gid) }
        // The default of another user would be another folder.
        setenv("DATA_DIRECTORY", dataDirectory, 0)
        let program = try program
        let arguments =
            [
                setpriv, "--reuid", "\(entry.pw_uid)", "--regid", "\(entry.pw_gid)", "--init-groups",
                "--inh-caps=\(kept)", "--ambient-caps=\(kept)", "--bounding-set=\(kept)", "--no-new-privs", "--",
                program,
            ] + CommandLine.arguments.dropFirst()
        throw .unavailable("cannot become user '\(name)': \(replace(with: arguments))")
    }

    /// The path of this program.
    private static var program: String {
        get throws(CommandError) {
            guard let path = realpath("/proc/self/exe", nil) else {
                throw .unavailable("cannot find this program: \(String(cString: strerror(errno)))")
            }
            defer { free(path) }
            return String(cString: path)
        }
    }

    /// Replaces this program. Returns why that failed.
    private static func replace(with arguments: [String]) -> String {
        var pointers = arguments.map { strdup($0) } + [nil]
        defer { pointers.forEach { free($0) } }
        execvp(setpriv, &pointers)
        return "\(setpriv): \(String(cString: strerror(errno)))"
    }
}
