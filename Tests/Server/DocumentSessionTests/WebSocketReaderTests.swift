import SecureMemory
import Testing

@testable import CardCompanionHTTP

/// The reader of frames alone.
@Suite("Reading frames")
struct WebSocketReaderTests {
    /// Gives bytes to a reader in chunks, and says what came out.
    private static func read(_ bytes: [UInt8], chunk: Int, limit: Int = 1 << 20) throws -> [String] {
        var reader = WebSocketReader(textByteLimit: limit, binaryByteLimit: limit)
        var found: [String] = []
        for start in stride(from: 0, to: bytes.count, by: chunk) {
            var part = Array(bytes[start..<min(start + chunk, bytes.count)])
            try part.withUnsafeMutableBytes { buffer in
                var rest = buffer[...]
                while let message = try reader.next(&rest) { found.append(Self.text(message)) }
                #expect(rest.isEmpty)
            }
        }
        return found
    }

    private static func text(_ message: consuming WebSocketReader.Message) -> String {
        switch consume message {
        case .text(let text): "text " + text.withBytes { String(decoding: $0, as: UTF8.self) }
        case .binary(let bytes): "binary \(bytes.count)"
        case .ping(let bytes): "ping \(bytes.count)"
        case .pong: "pong"
        case .close(let code, let reason): "close \(code.map { "\($0)" } ?? "none") \(reason)"
        }
    }

    @Test("Messages do not depend on how their bytes come", arguments: [1, 2, 3, 7, 64, 100_000])
    func chunks(chunk: Int) throws {
        let bytes =
            FrameTests.frame(0x81, Array("Grüße".utf8)) + FrameTests.frame(0x82, [UInt8](repeating: 7, count: 70_000))
            + FrameTests.frame(0x01, Array("a".utf8)) + FrameTests.frame(0x89, [1, 2])
            + FrameTests.frame(0x00, [UInt8](repeating: 0x62, count: 200)) + FrameTests.frame(0x80, [])
            + FrameTests.frame(0x8A, []) + FrameTests.frame(0x88, [0x0F, 0xA0, 0x61])
        let long = "text a" + String(repeating: "b", count: 200)
        #expect(
            try Self.read(bytes, chunk: chunk)
                == ["text Grüße", "binary 70000", "ping 2", long, "pong", "close 4000 a"])
    }

    @Test("The limit counts all fragments of a message")
    func limit() throws {
        let fits = FrameTests.frame(0x02, [1, 2]) + FrameTests.frame(0x80, [3])
        #expect(try Self.read(fits, chunk: 100, limit: 3) == ["binary 3"])
        let tooLong = FrameTests.frame(0x02, [1, 2]) + FrameTests.frame(0x80, [3, 4])
        #expect(throws: WebSocketReader.Failure.tooLong) { try Self.read(tooLong, chunk: 100, limit: 3) }
    }

    @Test("The head of the server's frames has the shortest length", arguments: [0, 125, 126, 65_535, 65_536, 1 << 24])
    func head(count: Int) {
        let head = WebSocketFrameHead.bytes(.binary, payloadByteCount: count)
        #expect(head[0] == 0x82 && head.count == (count < 126 ? 2 : count < 65_536 ? 4 : 10))
        let length = head.count == 2 ? Int(head[1]) : head.dropFirst(2).reduce(0) { $0 << 8 | Int($1) }
        #expect(length == count)
    }
}
