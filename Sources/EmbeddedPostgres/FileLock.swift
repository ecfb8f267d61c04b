internal import Glibc
internal import SystemPackage

/// An advisory lock on a file (`flock`). The kernel frees it with the process, however that ends.
final class FileLock: Sendable {
    private let descriptor: FileDescriptor

    /// Opens the file, and makes it if there is none; nothing is locked yet.
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

    /// Whether the lock is now held beside other sharers.
    func tryShared() -> Bool {
        flock(descriptor.rawValue, LOCK_SH | LOCK_NB) == 0
    }

    /// Whether the lock is now held alone. A shared lock held before is gone either way: Linux drops it before it
    /// looks for others. So of several sharers that try this, exactly the last one succeeds.
    func tryExclusive() -> Bool {
        flock(descriptor.rawValue, LOCK_EX | LOCK_NB) == 0
    }

    func unlock() {
        flock(descriptor.rawValue, LOCK_UN)
    }
}
