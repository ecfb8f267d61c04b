internal import Glibc
internal import SystemPackage

/// Folders of the server.
enum Directory {
    /// Creates a folder. An existing folder must belong to `owner`, and is not changed.
    ///
    /// - Throws: `folderUnusable`.
    static func make(
        _ path: FilePath, owner: ServerUser, mode: mode_t = 0o700
    ) throws(EmbeddedPostgresError) {
        if mkdir(path.string, 0o700) == 0 { return try hand(path, to: owner, mode: mode) }
        guard errno == EEXIST else { throw .folder("cannot create the folder", path, Errno(rawValue: errno)) }
        guard isOwned(path, by: owner) else {
            throw EmbeddedPostgresError(.folderUnusable, "\(path) must be a folder that belongs to user \(owner.name)")
        }
    }

    /// Creates a folder with an unpredictable name: `prefix` and random letters.
    ///
    /// - Throws: `folderUnusable`.
    static func makeUnique(
        _ prefix: FilePath, owner: ServerUser, mode: mode_t = 0o700
    ) throws(EmbeddedPostgresError) -> FilePath {
        var template = Array("\(prefix)-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw .folder("cannot create the folder", prefix, Errno(rawValue: errno))
        }
        let path = FilePath(String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self))
        try hand(path, to: owner, mode: mode)
        return path
    }

    /// Whether `path` is a folder that belongs to `owner`. Does not follow a link.
    static func isOwned(_ path: FilePath, by owner: ServerUser) -> Bool {
        guard let stat = try? Stat(path, followTargetSymlink: false) else { return false }
        return stat.type == .directory && stat.userID.rawValue == owner.id
    }

    /// The absolute path without links.
    static func canonical(_ path: FilePath) throws(EmbeddedPostgresError) -> FilePath {
        guard let resolved = realpath(path.string, nil) else {
            throw .folder("cannot access", path, Errno(rawValue: errno))
        }
        defer { free(resolved) }
        return FilePath(String(cString: resolved))
    }

    private static func hand(
        _ path: FilePath, to owner: ServerUser, mode: mode_t
    ) throws(EmbeddedPostgresError) {
        guard chmod(path.string, mode) == 0,
            !ServerUser.runsAsRoot || chown(path.string, owner.id, owner.groupID) == 0
        else { throw .folder("cannot set the owner of", path, Errno(rawValue: errno)) }
    }
}
