internal import Glibc

/// The lock of a file's folder, which one program holds at a time.
struct FolderLock: Sendable {
    private static let attemptLimit = 500
    private static let pause = Duration.milliseconds(10)

    private let folder: Int32

    /// Waits for the lock.
    ///
    /// - Throws: `unusableFile` if another program holds it for seconds.
    init(of path: String) async throws(KeyVaultError) {
        let name = SecretFile.folder(of: path)
        folder = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else {
            throw .unusableFile(path: name, reason: String(cString: strerror(errno)))
        }
        // Without blocking a thread: there are only a few.
        for _ in 0..<Self.attemptLimit {
            if flock(folder, LOCK_EX | LOCK_NB) == 0 { return }
            try? await Task.sleep(for: Self.pause)
        }
        close(folder)
        throw .unusableFile(path: name, reason: "another program has locked it")
    }

    func release() { close(folder) }
}
