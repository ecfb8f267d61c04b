internal import Glibc
internal import SystemPackage

/// Folders that the server makes.
enum Directory {
    /// Makes a folder; where there is one already, it must be `owner`'s and is left as it is.
    static func make(
        _ path: FilePath, owner: ServerUser, mode: mode_t = 0o700
    ) throws(EmbeddedPostgresError) {
        if mkdir(path.string, 0o700) == 0 { return try hand(path, to: owner, mode: mode) }
        guard errno == EEXIST else { throw .folder("cannot make the folder", path, Errno(rawValue: errno)) }
        guard isOwned(path, by: owner) else {
            throw EmbeddedPostgresError(.folderUnusable, "\(path) is not a folder of user \(owner.name)")
        }
    }

    /// Makes a folder with a name that nobody could foresee, `prefix` and some letters.
    static func makeUnique(
        _ prefix: FilePath, owner: ServerUser, mode: mode_t = 0o700
    ) throws(EmbeddedPostgresError) -> FilePath {
        var template = Array("\(prefix)-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw .folder("cannot make the folder", prefix, Errno(rawValue: errno))
        }
        let path = FilePath(String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self))
        try hand(path, to: owner, mode: mode)
        return path
    }

    /// Whether `path` itself, not what it may link to, is a folder of `owner`'s.
    static func isOwned(_ path: FilePath, by owner: ServerUser) -> Bool {
        guard let stat = try? Stat(path, followTargetSymlink: false) else { return false }
        return stat.type == .directory && stat.userID.rawValue == owner.id
    }

    /// The path without links, from the root.
    static func canonical(_ path: FilePath) throws(EmbeddedPostgresError) -> FilePath {
        guard let resolved = realpath(path.string, nil) else {
            throw .folder("cannot reach", path, Errno(rawValue: errno))
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
