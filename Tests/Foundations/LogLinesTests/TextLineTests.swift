import Logging
import Synchronization
import Testing

@testable import LogLines

@Suite("The log as text")
struct TextLineTests {
    private final class Written: Sendable {
        let bytes = Mutex<[UInt8]>([])
    }

    /// What a logger writes for one event.
    private func line(_ message: Logger.Message, _ metadata: Logger.Metadata = [:]) -> String {
        let written = Written()
        let logger = Logger(label: "test") { _ in
            LogLineHandler(.text) { line in written.bytes.withLock { $0 += line } }
        }
        logger.warning(message, metadata: metadata)
        return String(decoding: written.bytes.withLock { $0 }, as: UTF8.self)
    }

    @Test("A line has time, level and message, and then the metadata in the order of its names")
    func order() {
        let line = line("Listening", ["url": "http://127.0.0.1:8080", "a": "1"])
        let form = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z warning  Listening a=1 url=http:\/\/127\.0\.0\.1:8080\n/
        #expect(line.wholeMatch(of: form) != nil, "\(line)")
    }

    @Test(
        "A value whose end cannot be seen is quoted, once",
        arguments: [
            ("key disable", #""key disable""#), ("", #""""#), ("a=b", #""a=b""#), (#"a"b"#, #""a\"b""#),
            (#"a b\"#, #""a b\\""#), (#""bank""#, #""bank""#), (#""a" b="c""#, #""\"a\" b=\"c\"""#),
            (#""x\""#, #""\"x\\\"""#),
            ("plain", "plain"), ("ü", "ü"),
            // A scalar that makes one Character with the quotation mark before or after it.
            ("a\"\u{301} b=\"", "\"a\\\"\u{301} b=\\\"\""), ("\u{600}\"", "\"\\u{600}\\\"\""),
            ("a\u{a0}b", "\"a\u{a0}b\""), (#"a\u{a}"#, #""a\\u{a}""#),
        ])
    func quoted(value: String, text: String) {
        #expect(line("m", ["k": "\(value)"]).hasSuffix(" m k=\(text)\n"), "\(line("m", ["k": "\(value)"]))")
    }

    @Test("Neither message nor value can look like another line, or move the cursor of a terminal")
    func hostile() {
        for text in ["a\nb", "a\r\nb", "\u{1b}[2J", "\u{2028}", "\u{202e}", "\u{0}", "\u{85}"] {
            let line = line("\(text)", ["k": "\(text)", "n\(text)": "v"])
            #expect(line.unicodeScalars.dropLast().allSatisfy { $0.value >= 0x20 && !(0x7f..<0xa0).contains($0.value) })
            #expect(!line.contains("\u{2028}") && !line.contains("\u{202e}"))
            #expect(line.hasSuffix("\n"))
        }
    }
}
