internal import CLibPQ
internal import Logging

/// Logs the server's notices. They are for people; no code depends on them.
final class NoticeSink: Sendable {
    private let logger: Logger

    private init(_ logger: Logger) {
        self.logger = logger
    }

    /// - Returns: the sink. The caller must release it after PQfinish.
    static func install(on connection: OpaquePointer, _ logger: Logger) -> Unmanaged<NoticeSink> {
        let sink = Unmanaged.passRetained(NoticeSink(logger))
        PQsetNoticeReceiver(
            connection,
            { context, result in
                guard let context, let message = PQresultErrorField(result, CInt(Unicode.Scalar("M").value)) else {
                    return
                }
                Unmanaged<NoticeSink>.fromOpaque(context).takeUnretainedValue().log(String(cString: message))
            }, sink.toOpaque())
        return sink
    }

    private func log(_ message: String) {
        logger.debug("PostgreSQL notice", metadata: ["notice": "\(message)"])
    }
}
