extension PostgresConnection {
    /// How many unread notifications are kept. If there are more, the oldest are dropped.
    package static let maximumUnreadNotifications = 1_000

    /// Listens to these channels only. A stream from an earlier call ends.
    ///
    /// - Returns: the notifications. The stream ends when the lease ends or the connection is lost.
    package func listen(to channels: [String]) async throws(PostgresError) -> AsyncStream<PostgresNotification> {
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
