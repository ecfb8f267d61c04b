internal import CLibPQ

/// A notification that a session sent with NOTIFY.
package struct PostgresNotification: Hashable, Sendable {
    package let channel: String

    /// The text of the notification, at most 8,000 bytes.
    package let payload: String

    /// The server process of the session that sent it.
    package let processIdentifier: Int32

    init(_ notification: PGnotify) {
        channel = notification.relname.map { String(cString: $0) } ?? ""
        payload = notification.extra.map { String(cString: $0) } ?? ""
        processIdentifier = notification.be_pid
    }
}
