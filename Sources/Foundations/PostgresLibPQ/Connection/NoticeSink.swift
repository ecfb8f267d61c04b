internal import CLibPQ
internal import Logging
internal import Synchronization

/// Logs the server's notices. They are for people, but for one: that a commit did not wait for its synchronous standby.
final class NoticeSink: Sendable {
    /// The function of PostgreSQL that waits for a synchronous standby. A warning of it means that the wait was cancelled: the
    /// transaction is committed here, may be lost if this server is, and is reported as a success all the same. The text of
    /// the warning depends on the server's language; the function's name does not.
    private static let standbyWait = "SyncRepWaitForLSN"

    private let logger: Logger
    private let uncertain = Atomic(false)

    /// Whether a transaction of this connection may be lost although the server reports its success.
    var isCommitUncertain: Bool { uncertain.load(ordering: .relaxed) }

    private init(_ logger: Logger) {
        self.logger = logger
    }

    /// - Returns: the sink. The caller must release it after PQfinish.
    static func install(on connection: OpaquePointer, _ logger: Logger) -> Unmanaged<NoticeSink> {
        let sink = Unmanaged.passRetained(NoticeSink(logger))
        PQsetNoticeReceiver(
            connection,
            { context, result in
                guard let context, let message = NoticeSink.field("M", of: result) else { return }
                let sink = Unmanaged<NoticeSink>.fromOpaque(context).takeUnretainedValue()
                sink.log(message)
                // The name of the function in PostgreSQL's source that has sent it.
                if NoticeSink.field("R", of: result) == NoticeSink.standbyWait {
                    sink.uncertain.store(true, ordering: .relaxed)
                }
            }, sink.toOpaque())
        return sink
    }

    private static func field(_ code: Unicode.Scalar, of result: OpaquePointer?) -> String? {
        PQresultErrorField(result, CInt(code.value)).map { String(cString: $0) }
    }

    private func log(_ message: String) {
        logger.debug("PostgreSQL notice", metadata: ["notice": "\(message)"])
    }
}
