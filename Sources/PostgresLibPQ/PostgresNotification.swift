internal import CLibPQ

/// What another session said with NOTIFY.
public struct PostgresNotification: Hashable, Sendable {
    /// The channel it was said on.
    public let channel: String

    /// The text, at most 8,000 bytes, that came with it.
    public let payload: String

    /// The process of the session that said it.
    public let processIdentifier: Int32

    init(_ notification: PGnotify) {
        channel = notification.relname.map { String(cString: $0) } ?? ""
        payload = notification.extra.map { String(cString: $0) } ?? ""
        processIdentifier = notification.be_pid
    }
}
