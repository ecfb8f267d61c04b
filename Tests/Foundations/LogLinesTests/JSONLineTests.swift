import Foundation
import Logging
import StrictJSON
import Synchronization
import Testing

@testable import LogLines

@Suite("The log as JSON lines")
struct JSONLineTests {
    /// What a logger has written.
    private final class Lines: Sendable {
        private let bytes = Mutex<[UInt8]>([])

        var handler: LogLineHandler {
            LogLineHandler(.json) { line in self.bytes.withLock { $0 += line } }
        }

        var logger: Logger { Logger(label: "test") { _ in self.handler } }

        /// The members of each line, by two independent parsers that must agree.
        func read() throws -> [[String: String]] {
            let lines = bytes.withLock { $0.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) }
            #expect(lines.last?.isEmpty == true, "the last line ends")
            return try lines.dropLast().map { line in
                let strict = try JSONValue(parsing: Array(line))
                let members = try #require(
                    try JSONSerialization.jsonObject(with: Data(line)) as? [String: String])
                guard case .object(let names) = strict else { throw NotAnObject() }
                #expect(Set(names.keys) == Set(members.keys))
                return members
            }
        }
    }

    private struct NotAnObject: Error {}

    @Test("A line has time, level, message and source, and each item of the metadata")
    func members() throws {
        let lines = Lines()
        var logger = lines.logger
        logger[metadataKey: "request_id"] = "0123456789abcdef"
        logger.warning("It happened", metadata: ["count": "\(3)", "list": ["a", "b"]], source: "Module")
        logger.debug("not written")
        let line = try #require(try lines.read().first)
        #expect(try lines.read().count == 1)
        #expect(line["time"]?.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z/) != nil)
        #expect(line["level"] == "warning" && line["message"] == "It happened" && line["source"] == "Module")
        #expect(line["request_id"] == "0123456789abcdef" && line["count"] == "3" && line["list"] == #"["a", "b"]"#)
        #expect(line.count == 7)
    }

    @Test("Hostile text stays within its value: one line, valid JSON, and the same text again")
    func hostile() throws {
        let texts = [
            "\"}\n{\"level\":\"info\",\"message\":\"forged\"}", "\u{0}\u{1}\u{1b}[2J\u{7f}\u{9b}\r\n\t\\",
            "\u{2028}\u{2029}\u{feff}",
            "\u{10ffff}\u{1f600}\u{202e}", String(decoding: [0x61, 0xff, 0xc0, 0xaf, 0xed, 0xa0, 0x80], as: UTF8.self),
            "\\u0022", "",
        ]
        for text in texts {
            let lines = Lines()
            lines.logger.error("\(text)", metadata: ["value": "\(text)", "key \(text)": "x"], source: text)
            let line = try #require(try lines.read().first)
            #expect(try lines.read().count == 1)
            #expect(line["message"] == text && line["value"] == text && line["source"] == text)
            #expect(line["key \(text)"] == "x")
        }
    }

    @Test("Metadata cannot take the place of the line's own members, and no member occurs twice")
    func ownNames() throws {
        let lines = Lines()
        lines.logger.info("true", metadata: ["message": "false", "level": "none", "time": "0", "source": "x"])
        let line = try #require(try lines.read().first)
        #expect(line["message"] == "true" && line["message_"] == "false" && line["level"] == "info")
        #expect(line["level_"] == "none" && line["time_"] == "0" && line["source_"] == "x")
    }

    @Test("A value that is too long is cut off, also in the middle of a character, and so are too many items")
    func limits() throws {
        let lines = Lines()
        let long = "a" + String(repeating: "é", count: 100_000)
        let items = Dictionary(uniqueKeysWithValues: (0..<1000).map { ("item\($0)", Logger.MetadataValue("x")) })
        lines.logger.info("\(long)", metadata: items)
        let line = try #require(try lines.read().first)
        let message = try #require(line["message"])
        #expect(message.hasSuffix("\u{fffd}… (cut off)") && message.utf8.count < LogLine.valueByteLimit + 30)
        #expect(line.count == 4 + LogLine.itemLimit)
    }

    @Test("An error and a metadata provider have their items too")
    func error() throws {
        let lines = Lines()
        var handler = lines.handler
        handler.metadataProvider = Logger.MetadataProvider { ["provided": "yes"] }
        let made = handler
        Logger(label: "test") { _ in made }.error("It failed", error: NotAnObject())
        let line = try #require(try lines.read().first)
        #expect(line["provided"] == "yes" && line["error"] == "NotAnObject()")
    }

    @Test(
        "Times are UTC, as RFC 3339 writes them",
        arguments: [
            (0, 0, "1970-01-01T00:00:00.000000Z"), (1_709_210_096, 1_999, "2024-02-29T12:34:56.000001Z"),
            (4_102_444_799, 999_999_999, "2099-12-31T23:59:59.999999Z"),
        ])
    func times(seconds: Int, nanoseconds: Int, text: String) {
        #expect(LogTime(unixSeconds: seconds, nanoseconds: nanoseconds).text == text)
    }
}
