internal import Logging
internal import SecureMemory
internal import StrictJSON

/// One line of the log. It ends with the only line feed that it has.
struct JSONLine: ~Copyable {
    /// The longest text of a value, in bytes. Longer ones are cut off.
    static let valueByteLimit = 8192
    /// The most items of metadata.
    static let itemLimit = 100

    private static let cutOff = "… (cut off)"
    /// The members of every line. An item of the metadata with the same name gets a name with an underscore.
    private static let ownNames: Set = ["time", "level", "message", "source"]

    private let json: SecretBytes

    init(time: LogTime, level: Logger.Level, message: Logger.Message, source: String, metadata: Logger.Metadata) {
        json = JSONWriter.object(in: .ordinary) { line in
            line.add("time", time.text)
            line.add("level", level.rawValue)
            line.add("message", Self.bounded("\(message)"))
            line.add("source", Self.bounded(source))
            for (name, value) in metadata.sorted(by: { $0.key < $1.key }).prefix(Self.itemLimit) {
                let name = Self.bounded(name)
                line.add(Self.ownNames.contains(name) ? "\(name)_" : name, Self.bounded("\(value)"))
            }
        }
    }

    /// The line with its end.
    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        json.withBytes { json in
            var line = [UInt8](json)
            line.append(UInt8(ascii: "\n"))
            return line.withUnsafeBytes(body)
        }
    }

    private static func bounded(_ text: String) -> String {
        guard text.utf8.count > valueByteLimit else { return text }
        // A character that is cut in two becomes U+FFFD.
        return String(decoding: text.utf8.prefix(valueByteLimit), as: UTF8.self) + cutOff
    }
}
