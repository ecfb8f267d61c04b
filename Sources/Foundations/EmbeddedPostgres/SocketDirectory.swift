internal import Glibc
internal import SystemPackage

/// The folder of the server's Unix socket. It belongs to the server user and has mode 0700, so only that user and root can
/// connect.
enum SocketDirectory {
    /// The number in the name of the socket. No network port is opened.
    static let port = 5432

    /// The longest path in `sockaddr_un.sun_path`, without the zero at its end (unix(7)).
    static let pathLimitBytes = 107

    /// Whether libpq can use the folder as `host`: libpq splits it at commas, and the kernel limits its length.
    static func isUsable(_ path: FilePath) -> Bool {
        "\(path)/.s.PGSQL.\(port)".utf8.count <= pathLimitBytes && !path.string.contains(",")
    }

    /// The folder that the owner prepared; nil if there is none yet.
    static func current(of folder: ServerFolder) -> FilePath? {
        guard let path = try? Directory.canonical(folder.socket) else { return nil }
        return Directory.isOwned(path, by: folder.serverUser) && isUsable(path) ? path : nil
    }

    /// Creates the folder if it is missing. If its path would be too long, it is a link to a folder with a short path and
    /// an unpredictable name, so that no other user can create that folder first.
    ///
    /// - Throws: `folderUnusable`.
    static func prepare(in folder: ServerFolder) throws(EmbeddedPostgresError) -> FilePath {
        if let path = current(of: folder) { return path }
        unlink(folder.socket.string)  // a dangling link
        if isUsable(folder.socket) {
            try Directory.make(folder.socket, owner: folder.serverUser)
            return folder.socket
        }
        let short = try Directory.makeUnique(shortBase, owner: folder.serverUser)
        guard symlink(short.string, folder.socket.string) == 0 else {
            throw .folder("cannot create the link", folder.socket, Errno(rawValue: errno))
        }
        return short
    }

    /// Root uses `/run`, because only root can write there and all services see the same folder. `/tmp` can be different for
    /// each service (systemd's `PrivateTmp`).
    private static var shortBase: FilePath {
        ServerUser.runsAsRoot && access("/run", W_OK) == 0 ? "/run/card-companion" : "/tmp/card-companion"
    }
}
