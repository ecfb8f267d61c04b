package import Logging

/// A log of JSON lines (RFC 8259): one object for each line, with `time`, `level`, `message` and `source`, and a member for
/// each item of the metadata. All values are strings.
package struct JSONLogHandler: LogHandler {
    package var logLevel = Logger.Level.info
    package var metadata: Logger.Metadata = [:]
    package var metadataProvider: Logger.MetadataProvider?

    private let write: @Sendable (borrowing JSONLine) -> Void

    package static func standardError() -> JSONLogHandler {
        JSONLogHandler { StandardError.write($0) }
    }

    init(write: @escaping @Sendable (borrowing JSONLine) -> Void) {
        self.write = write
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        var all = metadata
        if let provided = metadataProvider?.get() { all.merge(provided) { $1 } }
        if let given = event.metadata { all.merge(given) { $1 } }
        if let error = event.error { all["error"] = "\(error)" }
        write(JSONLine(time: .now(), level: event.level, message: event.message, source: event.source, metadata: all))
    }
}
