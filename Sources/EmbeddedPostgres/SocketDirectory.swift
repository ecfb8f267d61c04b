internal import Glibc
internal import SystemPackage

/// The folder of the server's Unix socket. It is the server user's and closed to all others (0700), so that none but
/// that user and root reach the socket.
enum SocketDirectory {
    /// The number in the socket's name. No port is opened.
    static let port = 5432

    /// What fits into `sockaddr_un.sun_path` with its closing zero (unix(7)).
    static let pathLimitBytes = 107

    /// Whether libpq can take the folder as its `host`: it splits that at commas, and the kernel limits the length.
    static func isUsable(_ path: FilePath) -> Bool {
        "\(path)/.s.PGSQL.\(port)".utf8.count <= pathLimitBytes && !path.string.contains(",")
    }

    /// The folder as the owner last prepared it; nil before that.
    static func current(of folder: ServerFolder) -> FilePath? {
        guard let path = try? Directory.canonical(folder.socket) else { return nil }
        return Directory.isOwned(path, by: folder.serverUser) && isUsable(path) ? path : nil
    }

    /// Makes the folder where it is missing. Where its path would be too long, it is a link to a short one, which has
    /// a name that no other user can occupy beforehand.
    static func prepare(in folder: ServerFolder) throws(EmbeddedPostgresError) -> FilePath {
        if let path = current(of: folder) { return path }
        unlink(folder.socket.string)  // a link that leads nowhere
        if isUsable(folder.socket) {
            try Directory.make(folder.socket, owner: folder.serverUser)
            return folder.socket
        }
        let short = try Directory.makeUnique(shortBase, owner: folder.serverUser)
        guard symlink(short.string, folder.socket.string) == 0 else {
            throw .folder("cannot make the link", folder.socket, Errno(rawValue: errno))
        }
        return short
    }

    /// `/run` is root's alone and the same for all services, which `/tmp` may not be (systemd's `PrivateTmp`).
    private static var shortBase: FilePath {
        ServerUser.runsAsRoot && access("/run", W_OK) == 0 ? "/run/card-companion" : "/tmp/card-companion"
    }
}
