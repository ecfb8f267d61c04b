/// The server is busy: a queue is full, or a bank is being changed. The same request can succeed later.
package struct ServiceUnavailable: Error, CustomStringConvertible {
    /// After how many seconds a client can try again.
    package let retryAfterSeconds: Int
    /// Why, for the log.
    package let description: String

    package init(_ reason: String, retryAfterSeconds: Int = 1) {
        description = reason
        self.retryAfterSeconds = retryAfterSeconds
    }
}

/// A request is refused before its caller was authenticated.
package struct RefusedCaller: Error {
    /// What is wrong.
    package let reason: any Error
}

/// The caller asks too often.
package struct TooManyRequests: Error {
    /// After how many seconds it can ask again.
    package let retryAfterSeconds: Int
}
