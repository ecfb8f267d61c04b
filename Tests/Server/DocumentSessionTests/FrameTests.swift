import CardCompanionHTTP
import Foundation
import PythonOracle
import ServerHarness
import StrictJSON
import Testing

/// Frames that no client should send. The client is a plain socket of Python's.
@Suite("Frames", .enabled(if: PythonOracle.isAvailable, Comment(rawValue: PythonOracle.absence)))
struct FrameTests {
    /// A frame of a client, masked.
    static func frame(_ first: UInt8, _ payload: [UInt8], mask: [UInt8] = [1, 2, 3, 4]) -> [UInt8] {
        let length: [UInt8] =
            switch payload.count {
            case ...125: [0x80 | UInt8(payload.count)]
            case ...0xFFFF: [0xFE, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
            default: [0xFF] + (0..<8).reversed().map { UInt8(truncatingIfNeeded: payload.count >> ($0 * 8)) }
            }
        return [first] + length + mask + payload.enumerated().map { $1 ^ mask[$0 % 4] }
    }

    private static let finalText: UInt8 = 0x81
    private static let (ping, pong, close): (UInt8, UInt8, UInt8) = (0x89, 0x8A, 0x88)

    /// A frame of the server.
    struct Frame: Equatable {
        let first: Int
        let payload: [UInt8]
    }

    static func frames(_ answer: [String: String]) throws -> [Frame] {
        let list = try JSONValue(parsing: Array((answer["frames"] ?? "").utf8))
        guard case .array(let items) = list else { return [] }
        return items.compactMap { item in
            guard case .array(let parts) = item, case .number(let first)? = parts.first,
                case .string(let text)? = parts.last, let number = Int(first)
            else { return nil }
            let digits = Array(text.utf8)
            let payload = stride(from: 0, to: digits.count, by: 2).compactMap {
                UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16)
            }
            return Frame(first: number, payload: payload)
        }
    }

    private static func closing(_ code: Int, _ reason: String) -> [Frame] {
        [
            Frame(first: 0x81, payload: Array(#"{"type":"CLOSE","code":\#(code),"reason":"\#(reason)"}"#.utf8)),
            Frame(first: 0x88, payload: [UInt8(code >> 8), UInt8(code & 0xFF)] + Array(reason.utf8)),
        ]
    }

    @Test("A message that never ends takes room of the files")
    func endlessMessage() async throws {
        let begun = Self.frame(Self.finalText, [UInt8](repeating: 0x20, count: 2_000)).dropLast(500)
        try await SessionServer.run {
            $0.documentSessions.fileByteCount = 1_000
        } _: { server in
            let found = try Self.frames(await server.python("raw", ["hex": hex(Array(begun))]))
            #expect(found == Self.closing(1011, "SERVER_ERROR"))
        }
    }

    @Test(
        "Frames that break RFC 6455 end the session with 1002",
        arguments: [
            ("not masked", [0x81, 0x02, 0x7B, 0x7D]),
            ("a reserved bit", frame(0xC1, [0x7B, 0x7D])),
            ("an unknown opcode", frame(0x83, [])),
            ("an unknown control opcode", frame(0x8B, [])),
            ("a control frame in fragments", frame(0x09, [])),
            ("a control frame that is too long", frame(0x89, [UInt8](repeating: 0, count: 126))),
            ("a continuation of nothing", frame(0x80, [1])),
            ("a message within a message", frame(0x01, [0x7B]) + frame(0x81, [0x7D])),
            ("a length that is longer than it must be", [0x81, 0xFE, 0x00, 0x02, 0, 0, 0, 0, 0x7B, 0x7D]),
            ("a length beyond all lengths", [0x82, 0xFF] + [UInt8](repeating: 0xFF, count: 8) + [0, 0, 0, 0]),
            ("a close frame of one byte", frame(0x88, [3])),
            ("a close frame with a code that nobody sends", frame(0x88, [0x03, 0xED])),
        ] as [(String, [UInt8])])
    func invalid(name: String, bytes: [UInt8]) async throws {
        try await SessionServer.run {
            $0.documentSessions.closeLimit = .milliseconds(100)
        } _: { server in
            let found = try Self.frames(await server.python("raw", ["hex": hex(bytes)]))
            #expect(found == Self.closing(1002, ""), "\(name)")
        }
    }

    @Test("Text that is not UTF-8 ends the session with 1007", arguments: [[0xFF], [0xC3], [0xED, 0xA0, 0x80]])
    func invalidText(bytes: [UInt8]) async throws {
        try await SessionServer.run {
            $0.documentSessions.closeLimit = .milliseconds(100)
        } _: { server in
            let found = try Self.frames(await server.python("raw", ["hex": hex(Self.frame(Self.finalText, bytes))]))
            #expect(found == Self.closing(1007, ""))
        }
    }

    @Test("A frame that says that it is too long is refused before it comes")
    func announced() async throws {
        try await SessionServer.run {
            $0.documentSessions.closeLimit = .milliseconds(100)
        } _: { server in
            let head: [UInt8] = [0x82, 0xFF, 0, 0, 0, 0, 0x40, 0, 0, 0, 1, 2, 3, 4]
            let found = try Self.frames(await server.python("raw", ["hex": hex(head)]))
            #expect(found == Self.closing(1008, "PROTOCOL_ERROR"))
        }
    }

    @Test("Floods end the session", arguments: ["pings", "pongs", "empty fragments"])
    func flood(kind: String) async throws {
        let (bytes, repeats): ([UInt8], Int) =
            switch kind {
            case "pings": (Self.frame(Self.ping, [1]), 1_500)
            case "pongs": (Self.frame(Self.pong, []), 1_500)
            default: (Self.frame(0x01, []), 1)
            }
        let rest = kind == "empty fragments" ? (0..<1_100).flatMap { _ in Self.frame(0x00, []) } : []
        try await SessionServer.run {
            $0.documentSessions.closeLimit = .seconds(4)
        } _: { server in
            let answer = try await server.python("raw", ["hex": hex(bytes + rest), "repeat": "\(repeats)"])
            let found = try Self.frames(answer)
            #expect(found.filter { $0.first != 0x8A } == Self.closing(1008, "PROTOCOL_ERROR"))
            #expect(found.count { $0.first == 0x8A } == (kind == "pings" ? 1_000 : 0))
            try await server.expectReleased(0)
        }
    }

    @Test(
        "A ping between the fragments of a message is answered with its bytes, and the client's close frame with its code"
    )
    func pingAndClose() async throws {
        let start = Array(Step.start(as: "check").utf8)
        let bytes =
            Self.frame(0x01, Array(start.prefix(10))) + Self.frame(Self.ping, Array("hello".utf8))
            + Self.frame(0x80, Array(start.dropFirst(10))) + Self.frame(Self.close, [0x03, 0xE9])
        try await SessionServer.run { server in
            let found = try Self.frames(await server.python("raw", ["hex": hex(bytes)]))
            #expect(found.first == Frame(first: 0x8A, payload: Array("hello".utf8)))
            #expect(found.last == Frame(first: 0x88, payload: [0x03, 0xE9]))
            try await server.expectReleased(server.service.record.admitted)
        }
    }

    @Test("A close frame without a code is answered with one")
    func closeWithoutCode() async throws {
        try await SessionServer.run { server in
            let found = try Self.frames(await server.python("raw", ["hex": hex(Self.frame(Self.close, []))]))
            #expect(found == [Frame(first: 0x88, payload: [])])
        }
    }

    @Test("Nothing that comes after the client's close frame is read")
    func afterClose() async throws {
        try await SessionServer.run { server in
            let bytes =
                Self.frame(Self.close, [0x03, 0xE8]) + Self.frame(Self.finalText, Array(Step.start(as: "x").utf8))
            let found = try Self.frames(await server.python("raw", ["hex": hex(bytes)]))
            #expect(found == [Frame(first: 0x88, payload: [0x03, 0xE8])])
            #expect(server.service.record.admitted == 0)
        }
    }

    @Test("A client that does not answer the close frame is not waited for")
    func unansweredClose() async throws {
        try await SessionServer.run {
            $0.documentSessions.closeLimit = .milliseconds(200)
        } _: { server in
            let begin = ContinuousClock.now
            let found = try Self.frames(await server.python("raw", ["hex": hex(Self.frame(Self.finalText, [0x7B]))]))
            #expect(found == Self.closing(1008, "MALFORMED_JSON"))
            #expect(begin.duration(to: .now) < .seconds(45))
        }
    }
}
