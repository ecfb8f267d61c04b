extension PostgresConnection {
    /// How many notifications are kept unread; of more the oldest are dropped.
    public static let maximumUnreadNotifications = 1_000

    /// Listens to channels, and to them only: a stream that was got before ends.
    ///
    /// - Returns: the notifications, until the lease ends or the connection is lost.
    public func listen(to channels: [String]) async throws(PostgresError) -> AsyncStream<PostgresNotification> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: PostgresNotification.self, bufferingPolicy: .bufferingNewest(Self.maximumUnreadNotifications))
        try await deliver(to: continuation)
        let commands = channels.map { "LISTEN \"\($0.replacing("\"", with: "\"\""))\"" }
        try await executeScript((["UNLISTEN *"] + commands).joined(separator: "; "))
        return stream
    }

    @PostgresLoop
    private func deliver(to continuation: AsyncStream<PostgresNotification>.Continuation) throws(PostgresError) {
        try check()
        wire.onNotification?(nil)
        wire.onNotification = { notification in
            if let notification { continuation.yield(notification) } else { continuation.finish() }
        }
    }
}
