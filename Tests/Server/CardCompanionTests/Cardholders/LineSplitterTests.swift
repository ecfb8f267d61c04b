import SecureMemory
import Testing

@testable import CardCompanion

@Suite("Line splitter")
struct LineSplitterTests {
    private func lines(_ chunks: [[UInt8]], byteLimit: Int = 8) -> [String] {
        var splitter = LineSplitter(byteLimit: byteLimit)
        var lines = chunks.flatMap { splitter.split(SharedSecret(SecretBytes(copying: $0))) }
        if let last = splitter.finish() { lines.append(last) }
        return lines.map {
            switch $0 {
            case .whole(let line): line.bytes.withBytes { String(decoding: $0, as: UTF8.self) }
            case .tooLong: "too long"
            }
        }
    }

    @Test(
        "A text gives the same lines for every chunk size",
        arguments: [
            ("a\nbc\n\ndef", ["a", "bc", "", "def"]), ("\n", [""]), ("", []), ("a\r\nb\n", ["a\r", "b"]),
            ("12345678\n123456789\nx", ["12345678", "too long", "x"]), ("123456789", ["too long"]),
        ])
    func cuts(text: String, expected: [String]) {
        let bytes = Array(text.utf8)
        for size in 1...max(1, bytes.count) {
            let chunks = stride(from: 0, to: bytes.count, by: size).map {
                Array(bytes[$0..<min($0 + size, bytes.count)])
            }
            #expect(lines(chunks) == expected, "in chunks of \(size)")
        }
    }

    @Test("A line without an end is too long, and never uses more than twice the line limit of memory")
    func endless() {
        var splitter = LineSplitter(byteLimit: 1 << 10)
        let chunk = SharedSecret(SecretBytes(copying: [UInt8](repeating: 0x61, count: 1 << 10)))
        for _ in 0..<1000 { #expect(splitter.split(chunk).isEmpty) }
        #expect(splitter.heldByteCount <= 2 << 10)
        guard case .tooLong? = splitter.finish() else {
            Issue.record("the line is not reported as too long")
            return
        }
    }
}
