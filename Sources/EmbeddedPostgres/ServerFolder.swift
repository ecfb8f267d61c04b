internal import Glibc
internal import SystemPackage

/// The folder of a cluster and of all that belongs to it:
///
///     cluster/          PostgreSQL's data directory, 0700, the server user's
///     staging/          where initdb works, so that `cluster` is there as a whole or not at all
///     socket/           0700, the server user's; a link to a short path where this one is too long
///     postgresql.conf, pg_hba.conf, pg_ident.conf, postgres.log
///     owner.lock        held by the process that starts the server and restarts it
///     users.lock        shared by all processes that use the server; the last one out stops it
///
/// Started by root, the folder is root's and may only be passed through by others (0711): the server's user, whom
/// PostgreSQL's commands run as, has write access to its own folders in it alone.
struct ServerFolder: Sendable {
    /// The path without links, from the root.
    let path: FilePath

    /// Who made the folder: this process's user, or, where root works on somebody's folder, that user.
    let owner: ServerUser

    /// Whom PostgreSQL runs as.
    let serverUser: ServerUser

    var cluster: FilePath { path.appending("cluster") }
    var staging: FilePath { path.appending("staging") }
    var socket: FilePath { path.appending("socket") }
    var log: FilePath { path.appending("postgres.log") }
    var settings: FilePath { path.appending("postgresql.conf") }
    var hostAccess: FilePath { path.appending("pg_hba.conf") }
    var userNames: FilePath { path.appending("pg_ident.conf") }
    var ownerLock: FilePath { path.appending("owner.lock") }
    var usersLock: FilePath { path.appending("users.lock") }

    /// Finds the folder that belongs to a data folder; makes both where they are missing.
    static func locate(
        _ configuration: EmbeddedPostgresConfiguration
    ) async throws(EmbeddedPostgresError) -> ServerFolder {
        let data = try makeDataFolder(FilePath(configuration.dataDirectory))
        let place = data.appending("postgres")
        if (try? Stat(place, followTargetSymlink: false)) == nil {
            try await make(place, in: data, systemDirectory: configuration.systemDirectory)
        }
        return try ServerFolder(existing: place)
    }

    private init(existing place: FilePath) throws(EmbeddedPostgresError) {
        path = try Directory.canonical(place)
        guard let stat = try? Stat(path), let owner = ServerUser(id: stat.userID.rawValue) else {
            throw EmbeddedPostgresError(.folderUnusable, "\(path) belongs to a user that this system does not know")
        }
        guard ServerUser.runsAsRoot || owner == .current else {
            throw EmbeddedPostgresError(
                .folderUnusable,
                "\(path) belongs to user \(owner.name), this program runs as \(ServerUser.current.name): "
                    + "run it as \(owner.name), or give it a data folder of its own")
        }
        self.owner = owner
        serverUser = try Self.serverUser(cluster: path.appending("cluster"), folderOwner: owner)
    }

    /// A cluster's owner never changes; a new one gets the folder's owner, unless that is root.
    private static func serverUser(
        cluster: FilePath, folderOwner: ServerUser
    ) throws(EmbeddedPostgresError) -> ServerUser {
        if let stat = try? Stat(cluster), let user = ServerUser(id: stat.userID.rawValue) { return user }
        return folderOwner.id == 0 ? try unprivilegedUser() : folderOwner
    }

    private static func unprivilegedUser() throws(EmbeddedPostgresError) -> ServerUser {
        guard let user = ServerUser.unprivileged else {
            throw EmbeddedPostgresError(
                .folderUnusable, "PostgreSQL does not run as root, and there is neither a user postgres nor nobody")
        }
        return user
    }

    private static func makeDataFolder(_ path: FilePath) throws(EmbeddedPostgresError) -> FilePath {
        var folder = FilePath(root: path.root)
        for component in path.components.dropLast() {
            folder.append(component)
            mkdir(folder.string, 0o755)
        }
        if mkdir(path.string, 0o700) == 0 {
            if ServerUser.runsAsRoot { try letPass(try unprivilegedUser(), through: path) }
        } else if errno != EEXIST {
            throw .folder("cannot make the folder", path, Errno(rawValue: errno))
        }
        return try Directory.canonical(path)
    }

    /// Lets the server's user reach its folder, and see nothing else.
    private static func letPass(_ user: ServerUser, through path: FilePath) throws(EmbeddedPostgresError) {
        guard chown(path.string, 0, user.groupID) == 0, chmod(path.string, 0o710) == 0 else {
            throw .folder("cannot set the owner of", path, Errno(rawValue: errno))
        }
    }

    private static func make(
        _ place: FilePath, in data: FilePath, systemDirectory: FilePath
    ) async throws(EmbeddedPostgresError) {
        guard ServerUser.runsAsRoot else { return try Directory.make(place, owner: .current) }
        let user = try unprivilegedUser()
        if try await user.canEnter(data) {
            return try Directory.make(place, owner: .current, mode: 0o711)
        }
        try await makeElsewhere(systemDirectory, linkedFrom: place, for: user)
    }

    /// Root's home, say, lets nobody else in. The folder's name is not derived from the data folder's: who deletes a
    /// data folder and makes it anew does not want the old cluster back.
    private static func makeElsewhere(
        _ systemDirectory: FilePath, linkedFrom place: FilePath, for user: ServerUser
    ) async throws(EmbeddedPostgresError) {
        try Directory.make(systemDirectory, owner: .current, mode: 0o711)
        guard try await user.canEnter(systemDirectory) else {
            throw EmbeddedPostgresError(
                .folderUnusable,
                "user \(user.name), whom PostgreSQL runs as, may enter neither \(place.removingLastComponent()) "
                    + "nor \(systemDirectory)")
        }
        let folder = try Directory.makeUnique(systemDirectory.appending("postgres"), owner: .current, mode: 0o711)
        try TextFile.write("\(place)\n", to: folder.appending("data-folder"), owner: .current)
        if symlink(folder.string, place.string) == 0 { return }
        let failure = Errno(rawValue: errno)
        unlink(folder.appending("data-folder").string)
        rmdir(folder.string)
        if failure != .fileExists { throw .folder("cannot make the link", place, failure) }
    }
}

extension ServerUser {
    /// Whether this user may pass through a folder and all above it: asked of the kernel, as that user.
    func canEnter(_ path: FilePath) async throws(EmbeddedPostgresError) -> Bool {
        try await Command("test", ["-x", path.string], user: self).run().isSuccess
    }
}
