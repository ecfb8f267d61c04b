internal import SystemPackage

/// Why the private cluster cannot be used. The description is for the operator.
package struct EmbeddedPostgresError: Error, CustomStringConvertible, Equatable {
    /// The kinds of failure.
    package enum Code: Sendable {
        /// PostgreSQL is not installed, or is too old.
        case binariesMissing
        /// The cluster was created by a major version that is not installed.
        case versionMismatch
        /// A folder or file cannot be created, entered, read or written, or belongs to another user.
        case folderUnusable
        /// A PostgreSQL command failed. The description contains its output.
        case commandFailed
        /// It could not be found out whether the server runs, or a program could not be started: this process or the system
        /// has no free descriptors, processes or memory. Nothing was changed, and it can succeed later.
        case inDoubt
        /// A time limit was exceeded.
        case timedOut
        /// The calling task was cancelled.
        case cancelled
    }

    package let code: Code

    /// What failed, and what to do.
    package let description: String

    init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }

    static func inDoubt(_ failure: String, _ reason: Errno) -> Self {
        Self(.inDoubt, "\(failure): \(reason)")
    }

    static func folder(_ failure: String, _ path: FilePath, _ reason: Errno) -> Self {
        Self(.folderUnusable, "\(failure) \(path) as user \(ServerUser.current.name): \(reason)")
    }
}
