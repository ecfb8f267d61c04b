internal import Glibc

/// Files that a command writes.
package enum OutputFile {
    /// Writes a new file that only this user can read, and flushes it to the disk. Never overwrites a file, nor follows a link.
    ///
    /// - Throws: ``CommandError`` if there is a file of that name, or it cannot be written whole.
    package static func write(_ text: String, to path: String) throws(CommandError) {
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else {
            guard errno == EEXIST else { throw notWritten(path, errno) }
            throw .refused("\(path) is there already")
        }
        defer { close(file) }
        if let number = StandardStream.failure(of: text, to: file) { throw notWritten(path, number) }
        guard fsync(file) == 0 else { throw notWritten(path, errno) }
    }

    private static func notWritten(_ path: String, _ number: Int32) -> CommandError {
        .notWritten("\(path) cannot be written: \(String(cString: strerror(number)))")
    }
}
