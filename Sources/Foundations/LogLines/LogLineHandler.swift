package import Logging

/// A log whose every event is one line, for programs (JSON, RFC 8259) or for people.
package struct LogLineHandler: LogHandler {
    package enum Format: Sendable {
        /// One object with `time`, `level`, `message` and `source`, and a member for each item of the metadata. All values are
        /// strings.
        case json
        /// Time, level and message, and then the items of the metadata.
        case text
    }

    package var logLevel = Logger.Level.info
    package var metadata: Logger.Metadata = [:]
    package var metadataProvider: Logger.MetadataProvider?

    private let format: Format
    private let write: @Sendable ([UInt8]) -> Void

    package static func standardError(_ format: Format) -> LogLineHandler {
        LogLineHandler(format) { StandardError.write($0) }
    }

    /// - Parameter write: gets each line with its end.
    init(_ format: Format, write: @escaping @Sendable ([UInt8]) -> Void) {
        self.format = format
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
        let line = LogLine(
            time: .now(), level: event.level, message: "\(event.message)", source: event.source, metadata: all)
        switch format {
        case .json: write(line.json)
        case .text: write(line.text)
        }
    }
}
