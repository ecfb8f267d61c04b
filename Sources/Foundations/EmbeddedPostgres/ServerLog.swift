internal import Glibc
internal import SystemPackage

/// PostgreSQL's log file.
struct ServerLog: Sendable {
    let path: FilePath
    let serverUser: ServerUser

    /// When the log is longer, its end is copied to another file, and it is emptied.
    static let limitBytes: Int64 = 8 * 1024 * 1024

    private static let tailLimitBytes: Int64 = 4 * 1024
    private static let tailLimitLines = 12

    /// Creates the file. Only the server user can write to it.
    ///
    /// - Throws: `folderUnusable`.
    func make() throws(EmbeddedPostgresError) {
        do {
            let descriptor = try open(.writeOnly, [.create])
            try descriptor.closeAfter {
                guard !ServerUser.runsAsRoot || fchown(descriptor.rawValue, serverUser.id, serverUser.groupID) == 0
                else { throw Errno(rawValue: errno) }
            }
        } catch {
            throw .folder("cannot write", path, error as? Errno ?? .ioError)
        }
    }

    var byteCount: Int64 {
        (try? Stat(path, followTargetSymlink: false).size) ?? 0
    }

    /// The last lines that were written after the log had `start` bytes.
    func tail(since start: Int64 = 0) -> String {
        guard let descriptor = try? open(.readOnly, []) else { return "" }
        let text = try? descriptor.closeAfter {
            try descriptor.seek(offset: max(start, byteCount - Self.tailLimitBytes), from: .start)
            var bytes = [UInt8](repeating: 0, count: Int(Self.tailLimitBytes))
            let count = try bytes.withUnsafeMutableBytes { try descriptor.read(into: $0) }
            return String(decoding: bytes[..<count], as: UTF8.self)
        }
        return Self.lastLines(text ?? "")
    }

    /// The last lines of a program's output, for an error message.
    static func lastLines(_ text: String) -> String {
        text.split(separator: "\n").suffix(tailLimitLines).joined(separator: "\n")
    }

    /// Keeps the log within its limit. The file is emptied, not replaced, because the server keeps it open and appends to
    /// it.
    func trim() {
        guard byteCount > Self.limitBytes, let descriptor = try? open(.readWrite, []) else { return }
        try? descriptor.closeAfter {
            try? TextFile.write(tail() + "\n", to: FilePath("\(path).1"), owner: serverUser)
            _ = ftruncate(descriptor.rawValue, 0)
        }
    }

    private func open(_ mode: FileDescriptor.AccessMode, _ options: FileDescriptor.OpenOptions) throws -> FileDescriptor
    {
        try FileDescriptor.open(
            path, mode, options: [.noFollow, .closeOnExec, options], permissions: .ownerReadWrite)
    }
}
