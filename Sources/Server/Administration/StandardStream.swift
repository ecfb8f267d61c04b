internal import Glibc

/// What a command writes. Foundation's file handles end the process if a disk is full.
package enum StandardStream {
    /// Writes a line to standard output at once.
    ///
    /// - Throws: ``CommandError`` if it cannot be written whole.
    package static func output(_ line: String) throws(CommandError) {
        guard let number = failure(of: line + "\n", to: STDOUT_FILENO) else { return }
        throw .notWritten(
            "standard output cannot be written: \(String(cString: strerror(number))). What the command has changed is not "
                + "undone")
    }

    /// Writes a line to standard error. If that fails, nobody can be told.
    package static func note(_ line: String) { raw(line + "\n") }

    /// Writes a text to standard error as it is.
    package static func raw(_ text: String) { _ = failure(of: text, to: STDERR_FILENO) }

    /// Writes a text to a descriptor.
    ///
    /// - Returns: `errno`; nil if all was written.
    static func failure(of text: String, to file: Int32) -> Int32? {
        var text = text
        return text.withUTF8 { bytes in
            var rest = UnsafeRawBufferPointer(bytes)
            while !rest.isEmpty {
                let count = write(file, rest.baseAddress, rest.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return count < 0 ? errno : EIO }
                rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
            }
            return nil
        }
    }
}
