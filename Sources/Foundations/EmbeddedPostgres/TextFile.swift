internal import Glibc
internal import SystemPackage

/// Small files of the server folder.
enum TextFile {
    /// The content of a file, at most about `limitBytes`; nil if there is certainly no such file.
    ///
    /// - Throws: why it cannot be read, for example because this process has no free descriptor. Then nobody knows what
    ///   is in it.
    static func read(_ path: FilePath, limitBytes: Int = 64 * 1024) throws(Errno) -> String? {
        do {
            let descriptor = try FileDescriptor.open(path, .readOnly, options: [.noFollow, .closeOnExec])
            return try descriptor.closeAfter {
                String(decoding: try read(descriptor, limitBytes: limitBytes), as: UTF8.self)
            }
        } catch {
            let reason = error as? Errno ?? .ioError
            // The last is the answer of /proc for a process that has just ended.
            if [.noSuchFileOrDirectory, .notDirectory, .noSuchProcess].contains(reason) { return nil }
            throw reason
        }
    }

    /// Replaces a file atomically, so that no reader sees a partial file.
    ///
    /// - Throws: `folderUnusable`.
    static func write(_ text: String, to path: FilePath, owner: ServerUser) throws(EmbeddedPostgresError) {
        let draft = FilePath("\(path).new")
        do {
            unlink(draft.string)
            let descriptor = try FileDescriptor.open(
                draft, .writeOnly, options: [.create, .exclusiveCreate, .noFollow, .closeOnExec],
                permissions: .ownerReadWrite)
            try descriptor.closeAfter {
                fchmod(descriptor.rawValue, 0o644)
                if ServerUser.runsAsRoot { fchown(descriptor.rawValue, owner.id, owner.groupID) }
                try descriptor.writeAll(text.utf8)
            }
            guard rename(draft.string, path.string) == 0 else { throw Errno(rawValue: errno) }
        } catch {
            throw .folder("cannot write", path, error as? Errno ?? .ioError)
        }
    }

    private static func read(_ descriptor: FileDescriptor, limitBytes: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while bytes.count < limitBytes {
            let count = try chunk.withUnsafeMutableBytes { try descriptor.read(into: $0) }
            if count == 0 { break }
            bytes += chunk[..<count]
        }
        return bytes
    }
}
