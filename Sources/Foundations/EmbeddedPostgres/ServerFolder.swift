internal import Glibc
internal import SystemPackage

/// The folder of a cluster and its files:
///
///     cluster/          PostgreSQL's data directory, mode 0700, belongs to the server user
///     staging/          initdb works here, so that `cluster` is either complete or missing
///     socket/           mode 0700, belongs to the server user; a link to a short path if this path is too long
///     postgresql.conf, pg_hba.conf, pg_ident.conf, postgres.log
///     owner.lock        held by the process that starts the server and restarts it
///     users.lock        shared by all processes that use the server; the last one stops it
///
/// If root created the folder, it belongs to root, and others can only pass through it (0711). The server user, who runs
/// PostgreSQL's commands, can write only to its own folders in it.
struct ServerFolder: Sendable {
    /// The absolute path without links.
    let path: FilePath

    /// The owner of the folder: the user of this process, or another user if this process runs as root.
    let owner: ServerUser

    /// The user that PostgreSQL runs as.
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

    /// Finds the server folder of a data folder. Creates both if they are missing.
    ///
    /// - Throws: `folderUnusable`.
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
            throw EmbeddedPostgresError(.folderUnusable, "\(path) belongs to a user that does not exist on this system")
        }
        guard ServerUser.runsAsRoot || owner == .current else {
            throw EmbeddedPostgresError(
                .folderUnusable,
                "\(path) belongs to user \(owner.name), but this program runs as \(ServerUser.current.name): "
                    + "run it as \(owner.name), or use another data folder")
        }
        self.owner = owner
        serverUser = try Self.serverUser(cluster: path.appending("cluster"), folderOwner: owner)
    }

    /// The owner of a cluster never changes. A new cluster gets the owner of the folder, unless that is root.
    private static func serverUser(
        cluster: FilePath, folderOwner: ServerUser
    ) throws(EmbeddedPostgresError) -> ServerUser {
        if let stat = try? Stat(cluster), let user = ServerUser(id: stat.userID.rawValue) { return user }
        return folderOwner.id == 0 ? try unprivilegedUser() : folderOwner
    }

    private static func unprivilegedUser() throws(EmbeddedPostgresError) -> ServerUser {
        guard let user = ServerUser.unprivileged else {
            throw EmbeddedPostgresError(
                .folderUnusable,
                "PostgreSQL cannot run as root, and there is no user postgres or nobody: create the user postgres")
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
            throw .folder("cannot create the folder", path, Errno(rawValue: errno))
        }
        return try Directory.canonical(path)
    }

    /// Gives the server user access to its folder, but to nothing else.
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

    /// For a data folder that the server user cannot enter, such as one in root's home. The new folder has a random name,
    /// not one derived from the data folder: after a data folder is deleted and created again, the old cluster must not
    /// come back.
    private static func makeElsewhere(
        _ systemDirectory: FilePath, linkedFrom place: FilePath, for user: ServerUser
    ) async throws(EmbeddedPostgresError) {
        try Directory.make(systemDirectory, owner: .current, mode: 0o711)
        guard try await user.canEnter(systemDirectory) else {
            throw EmbeddedPostgresError(
                .folderUnusable,
                "user \(user.name), who runs PostgreSQL, cannot enter \(place.removingLastComponent()) or "
                    + "\(systemDirectory): allow it, or use another data folder")
        }
        let folder = try Directory.makeUnique(systemDirectory.appending("postgres"), owner: .current, mode: 0o711)
        try TextFile.write("\(place)\n", to: folder.appending("data-folder"), owner: .current)
        if symlink(folder.string, place.string) == 0 { return }
        let failure = Errno(rawValue: errno)
        unlink(folder.appending("data-folder").string)
        rmdir(folder.string)
        if failure != .fileExists { throw .folder("cannot create the link", place, failure) }
    }
}

extension ServerUser {
    /// Whether this user can pass through a folder and all its parents. Runs a command as that user to find out.
    func canEnter(_ path: FilePath) async throws(EmbeddedPostgresError) -> Bool {
        try await Command("test", ["-x", path.string], user: self).run().isSuccess
    }
}
