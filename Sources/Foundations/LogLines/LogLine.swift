internal import Logging
internal import SecureMemory
internal import StrictJSON

/// One event of the log, with limits. In each of its forms it ends with the only line feed that it has.
struct LogLine {
    /// The longest text of a value, in bytes. Longer ones are cut off.
    static let valueByteLimit = 8192
    /// The most items of metadata.
    static let itemLimit = 100

    private static let cutOff = "… (cut off)"

    private let time: LogTime
    private let level: Logger.Level
    private let message: String
    private let source: String
    /// Sorted by their names.
    private let items: [(name: String, value: String)]

    init(time: LogTime, level: Logger.Level, message: String, source: String, metadata: Logger.Metadata) {
        self.time = time
        self.level = level
        self.message = Self.bounded(message)
        self.source = Self.bounded(source)
        items = metadata.sorted { $0.key < $1.key }.prefix(Self.itemLimit).map {
            (Self.bounded($0.key), Self.bounded("\($0.value)"))
        }
    }

    private static func bounded(_ text: String) -> String {
        guard text.utf8.count > valueByteLimit else { return text }
        // A character that is cut in two becomes U+FFFD.
        return String(decoding: text.utf8.prefix(valueByteLimit), as: UTF8.self) + cutOff
    }
}

// MARK: - JSON

extension LogLine {
    /// The members of every line. An item of the metadata with the same name gets a name with an underscore.
    private static let ownNames: Set = ["time", "level", "message", "source"]

    var json: [UInt8] {
        let object = JSONWriter.object(in: .ordinary) { line in
            line.add("time", time.text)
            line.add("level", level.rawValue)
            line.add("message", message)
            line.add("source", source)
            for (name, value) in items { line.add(Self.ownNames.contains(name) ? "\(name)_" : name, value) }
        }
        return object.withBytes { [UInt8]($0) } + [UInt8(ascii: "\n")]
    }
}

// MARK: - Text

extension LogLine {
    /// Most lines are no longer, so that their memory does not grow.
    private static let usualByteCount = 320
    private static let longestLevel = Logger.Level.allCases.map(\.rawValue.count).max() ?? 0

    /// `2026-11-26T19:45:17.123456Z notice   Listening url=http://127.0.0.1:8080`
    var text: [UInt8] {
        var line: [UInt8] = []
        line.reserveCapacity(Self.usualByteCount)
        line += time.text.utf8
        line.append(UInt8(ascii: " "))
        line += level.rawValue.utf8
        line += repeatElement(UInt8(ascii: " "), count: Self.longestLevel - level.rawValue.count + 1)
        line += Self.printable(message).utf8
        for (name, value) in items {
            line.append(UInt8(ascii: " "))
            line += Self.printable(name).utf8
            line.append(UInt8(ascii: "="))
            line += Self.quoted(value).utf8
        }
        line.append(UInt8(ascii: "\n"))
        return line
    }

    /// A value as it is if its end can be seen, else in quotation marks. By scalars: in a Character, a scalar beside it can hide a
    /// quotation mark.
    private static func quoted(_ value: String) -> String {
        let scalars = value.unicodeScalars
        let isPlain =
            !scalars.isEmpty
            && scalars.allSatisfy { !$0.properties.isWhitespace && $0 != "\"" && $0 != "=" && $0 != "\\" }
        if isPlain || isQuoted(scalars) { return printable(value) }
        let escaped = scalars.reduce(into: "") { text, scalar in
            if scalar == "\\" || scalar == "\"" { text += "\\" }
            text.unicodeScalars.append(scalar)
        }
        return "\"\(printable(escaped))\""
    }

    /// Whether a value has its quotation marks already, as texts from clients have.
    private static func isQuoted(_ value: String.UnicodeScalarView) -> Bool {
        let inner = value.dropFirst().dropLast()
        return value.count >= 2 && value.first == "\"" && value.last == "\"" && !inner.contains("\"")
            && inner.last != "\\"
    }

    /// Without anything that moves a terminal's cursor or looks like another line.
    private static func printable(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: { isHidden($0) }) else { return text }
        return text.unicodeScalars.map { isHidden($0) ? "\\u{\(String($0.value, radix: 16))}" : String($0) }.joined()
    }

    private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned, .privateUse: true
        default: false
        }
    }
}
