/// What one session can take from the server.
package enum SessionLimits {
    /// How many files a session can have, and their size together, in bytes. Unknown files count too.
    package static let fileCount = 24
    package static let fileByteCount = 4 << 20
}

/// How long a session and its parts can take.
package struct SessionTimes: Sendable {
    /// The client's START.
    package var start = Duration.seconds(10)
    /// The server's look at the client and its check.
    package var admission = Duration.seconds(10)
    /// The chip's answer to one command.
    package var answer = Duration.seconds(20)
    /// The whole session, until its result is posted.
    package var session = Duration.seconds(300)

    package init() {}
}
