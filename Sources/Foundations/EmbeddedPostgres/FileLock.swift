internal import Glibc
internal import SystemPackage

/// An advisory lock on a file (`flock`). The kernel releases it when the process ends for any reason.
final class FileLock: Sendable {
    private let descriptor: FileDescriptor

    /// Opens the file, or creates it. Does not lock it yet.
    ///
    /// - Throws: `folderUnusable`.
    init(_ path: FilePath, owner: ServerUser) throws(EmbeddedPostgresError) {
        do {
            descriptor = try FileDescriptor.open(
                path, .readWrite, options: [.create, .noFollow, .closeOnExec], permissions: .ownerReadWrite)
        } catch {
            throw .folder("cannot open the lock file", path, error as? Errno ?? .ioError)
        }
        if ServerUser.runsAsRoot { fchown(descriptor.rawValue, owner.id, owner.groupID) }
    }

    deinit {
        try? descriptor.close()
    }

    /// Tries to lock in shared mode, without waiting.
    ///
    /// - Returns: whether the shared lock is held now.
    func tryShared() -> Bool {
        flock(descriptor.rawValue, LOCK_SH | LOCK_NB) == 0
    }

    /// Tries to lock in exclusive mode, without waiting. A shared lock that was held before is lost in any case, because
    /// Linux releases it before it checks for other holders. So if several holders of a shared lock try this, exactly the
    /// last one succeeds.
    ///
    /// - Returns: whether the exclusive lock is held now.
    func tryExclusive() -> Bool {
        flock(descriptor.rawValue, LOCK_EX | LOCK_NB) == 0
    }

    func unlock() {
        flock(descriptor.rawValue, LOCK_UN)
    }
}
