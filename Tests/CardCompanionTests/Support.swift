import CardCompanionStore
import Logging
import SecureMemory
import StrictJSON
import Synchronization
import Testing

extension SecretBytes {
    /// The content, which is no secret in a test.
    var revealed: [UInt8] { withBytes { [UInt8]($0) } }

    init(_ text: String) {
        self.init(copying: Array(text.utf8))
    }
}

/// A request's body or a token, read from public text; a class, because a macro cannot take what has one owner.
final class Body {
    let json: JSONText

    init(_ text: String) throws {
        json = try JSONText(SecretBytes(text))
    }
}

/// A bank's settings with the protocol's defaults.
func settings(_ change: (inout BankSettings) -> Void = { _ in }) -> BankSettings {
    var settings = BankSettings(name: "Bank", programme: "BANK", scheme: .pciCPP)
    change(&settings)
    return settings
}

/// Keeps the metadata of what is logged.
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
