internal import Glibc
internal import SystemPackage

/// Small files of the server folder.
enum TextFile {
    /// The content of a file, at most about `limitBytes`; nil if it cannot be read.
    static func read(_ path: FilePath, limitBytes: Int = 64 * 1024) -> String? {
        guard let descriptor = try? FileDescriptor.open(path, .readOnly, options: [.noFollow, .closeOnExec]) else {
            return nil
        }
        return try? descriptor.closeAfter {
            String(decoding: try read(descriptor, limitBytes: limitBytes), as: UTF8.self)
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
