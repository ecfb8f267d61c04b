internal import SystemPackage

/// Why there is no private cluster, in words for whoever runs the program.
public struct EmbeddedPostgresError: Error, CustomStringConvertible, Equatable {
    /// The kinds of failure.
    public enum Code: Sendable {
        /// PostgreSQL is not installed, or too old.
        case binariesMissing
        /// The cluster was made by another major version than the installed ones.
        case versionMismatch
        /// A folder or file cannot be made, entered, read or written, or belongs to somebody else.
        case folderUnusable
        /// A command of PostgreSQL's failed; the description has what it said.
        case commandFailed
        /// A limit of time passed.
        case timedOut
        /// The calling task was cancelled.
        case cancelled
    }

    /// The kind of failure.
    public let code: Code

    /// What failed, and what to do about it.
    public let description: String

    init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }

    static func folder(_ failure: String, _ path: FilePath, _ reason: Errno) -> Self {
        Self(.folderUnusable, "\(failure) \(path) as user \(ServerUser.current.name): \(reason)")
    }
}
