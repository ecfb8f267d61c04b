internal import Glibc
internal import Synchronization

/// Standard error, for lines of several threads.
enum StandardError {
    private static let turn = Mutex(())

    /// Writes a line as a whole. If it cannot be written, it is lost: there is nowhere to report it.
    static func write(_ line: [UInt8]) {
        line.withUnsafeBytes { bytes in
            turn.withLock { _ in
                var rest = bytes[...]
                while !rest.isEmpty {
                    let count = Glibc.write(
                        STDERR_FILENO, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                    if count < 0, errno == EINTR { continue }
                    guard count > 0 else { return }
                    rest = rest.dropFirst(count)
                }
            }
        }
    }
}
