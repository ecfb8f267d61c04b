internal import Cryptography
internal import Glibc
package import SecureMemory

/// Files with a secret: only their owner can read them.
package enum SecretFile {
    /// Reads a regular file that belongs to this user or to root, without permissions for group and others.
    ///
    /// - Throws: `unusableFile`, also if it has more bytes than the limit.
    package static func read(_ path: String, byteLimit: Int) throws(KeyVaultError) -> SecretBytes {
        let file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard file >= 0 else {
            throw .unusableFile(path: path, reason: String(cString: strerror(errno)))
        }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw .unusableFile(path: path, reason: "it must be a regular file")
        }
        guard status.st_mode & 0o077 == 0 else {
            let mode = String(status.st_mode & 0o777, radix: 8)
            throw .unusableFile(path: path, reason: "its mode 0\(mode) gives other users access: run chmod 0600 on it")
        }
        guard status.st_uid == geteuid() || status.st_uid == 0 else {
            throw .unusableFile(path: path, reason: "it must belong to the user of this process, or to root")
        }
        let contents = SecretBytes(capacity: byteLimit + 1) { max(0, Glibc.read(file, $0.baseAddress, $0.count)) }
        guard contents.count <= byteLimit else {
            throw .unusableFile(path: path, reason: "it must have at most \(byteLimit) bytes")
        }
        return contents
    }

    /// Writes a new file with mode 0600, and flushes it to the disk. Never overwrites a file.
    ///
    /// - Throws: `unusableFile`.
    package static func write(_ contents: borrowing SecretBytes, to path: String) throws(KeyVaultError) {
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else {
            throw .unusableFile(path: path, reason: "it cannot be created: \(String(cString: strerror(errno)))")
        }
        defer { close(file) }
        let written = contents.withBytes { Glibc.write(file, $0.baseAddress, $0.count) }
        guard written == contents.count, fsync(file) == 0 else {
            throw .unusableFile(path: path, reason: "it cannot be written: \(String(cString: strerror(errno)))")
        }
    }

    /// Replaces a file, with mode 0600, and flushes it to the disk. A reader sees the old or the new contents, never a part.
    ///
    /// - Throws: `unusableFile`.
    static func replace(_ path: String, with contents: [UInt8]) throws(KeyVaultError) {
        let draft = "\(path).\(getpid()).\(Hex.encode(SecureRandom.bytes(count: 4)))"
        defer { unlink(draft) }
        try write(SecretBytes(copying: contents), to: draft)
        guard rename(draft, path) == 0 else {
            throw .unusableFile(path: path, reason: "it cannot be written: \(String(cString: strerror(errno)))")
        }
        try syncFolder(of: path)
    }

    /// Removes a file, if it is there, and flushes that to the disk.
    ///
    /// - Throws: `unusableFile`.
    static func remove(_ path: String) throws(KeyVaultError) {
        guard unlink(path) == 0 else {
            guard errno != ENOENT else { return }
            throw .unusableFile(path: path, reason: "it cannot be removed: \(String(cString: strerror(errno)))")
        }
        try syncFolder(of: path)
    }

    static func folder(of path: String) -> String { path.lastIndex(of: "/").map { String(path[...$0]) } ?? "." }

    /// Flushes a file's name to the disk. The file must still be there after a power failure: by then the database may have
    /// secrets under its key.
    static func syncFolder(of path: String) throws(KeyVaultError) {
        let folder = open(folder(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { close(folder) }
        guard folder >= 0, fsync(folder) == 0 else {
            throw .unusableFile(
                path: path, reason: "its folder cannot be written to disk: \(String(cString: strerror(errno)))")
        }
    }
}
