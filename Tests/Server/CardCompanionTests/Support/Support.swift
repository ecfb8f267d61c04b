import CardCompanionModel
import Logging
import SecureMemory
import StrictJSON
import Synchronization
import Testing

extension SecretBytes {
    /// The content.
    var revealed: [UInt8] { withBytes { [UInt8]($0) } }

    init(_ text: String) {
        self.init(copying: Array(text.utf8))
    }
}

/// A parsed request body or token. A class, because the test macros do not accept noncopyable values.
final class Body {
    let json: JSONText

    init(_ text: String) throws {
        json = try JSONText(SecretBytes(text))
    }
}

/// Bank settings with the protocol's defaults, changed by `change`.
func settings(_ change: (inout BankSettings) -> Void = { _ in }) -> BankSettings {
    var settings = BankSettings(name: "Bank", programme: "BANK", scheme: .pciCPP)
    change(&settings)
    return settings
}

/// Records the metadata of log messages.
struct RecordingLog: LogHandler {
    final class Lines: Sendable {
        let all = Mutex<[Logger.Metadata]>([])
    }

    let lines: Lines
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        lines.all.withLock { $0.append(event.metadata ?? [:]) }
    }
}
