import CardCompanion
import DocumentValidation
import PythonOracle
import ServerHarness
import StrictJSON
import Testing

@testable import CardCompanionHTTP

/// How a WebSocket is opened, and what other requests of HTTP notice of it.
@Suite("Opening", .enabled(if: PythonOracle.isAvailable, Comment(rawValue: PythonOracle.absence)))
struct OpeningTests {
    private static let key = "dGhlIHNhbXBsZSBub25jZQ=="

    private static func request(
        _ line: String = "GET /ws2/validate HTTP/1.1", _ fields: [String: String?] = [:], body: String = ""
    ) -> [String: String] {
        let usual: [String: String?] = [
            "Host": "x", "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13",
            "Sec-WebSocket-Key": key,
        ]
        let lines = usual.merging(fields) { $1 }.compactMap { name, value in value.map { "\(name): \($0)\r\n" } }
        return ["request": "\(line)\r\n\(lines.sorted().joined())\r\n\(body)"]
    }

    @Test("The answer proves that the server has understood, with the example of RFC 6455")
    func accept() async throws {
        try await SessionServer.run {
            $0.documentSessions.times.start = .milliseconds(100)
            $0.documentSessions.closeLimit = .milliseconds(100)
        } _: { server in
            let answer = try await server.python("request", Self.request())
            #expect(answer["status"] == "101" && answer["accept"] == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
            #expect(answer["upgrade"] == "websocket" && answer["connection"] == "upgrade")
        }
    }

    @Test(
        "A request that does not open a WebSocket is answered 426, which names it",
        arguments: [
            ["Upgrade": nil, "Connection": "close"], ["Upgrade": "h2c"], ["Connection": "close"],
            ["Sec-WebSocket-Version": "8"], ["Sec-WebSocket-Version": nil], ["Sec-WebSocket-Key": nil],
            ["Sec-WebSocket-Key": "c2hvcnQ="], ["Sec-WebSocket-Key": "no base64!"],
        ] as [[String: String?]])
    func required(fields: [String: String?]) async throws {
        try await SessionServer.run { server in
            let answer = try await server.python("request", Self.request("GET /ws2/validate HTTP/1.1", fields))
            #expect(answer["status"] == "426" && answer["upgrade"] == "websocket" && answer["version"] == "13")
            #expect(answer["type"] == "application/problem+json")
            #expect(answer["body"]?.contains("RFC 6455") == true)
        }
    }

    @Test("Over HTTP/2 the end point is answered 426 too")
    func http2() async throws {
        try await SessionServer.run(certificate: try await TestCertificate()) { server in
            let answer = try await server.python("http2")
            #expect(answer["status"] == "426" && answer["body"]?.contains("HTTP/1.1") == true)
        }
    }

    @Test("Over TLS, a client of HTTP/1.1 opens it")
    func http1OverTLS() async throws {
        try await SessionServer.run(certificate: try await TestCertificate()) { server in
            let transcript = try await server.steps([.start(), .receive(1), .finish()], ["tls": "yes"])
            #expect(transcript.isClosed(1000, ""))
        }
    }

    @Test("A browser's page cannot open it")
    func origin() async throws {
        try await SessionServer.run { server in
            #expect(try await server.steps([], ["origin": "https://example.com"]).status == "403")
            try await server.expectReleased(0)
        }
    }

    @Test(
        "On other paths, and with other methods, Upgrade is not looked at",
        arguments: [
            ("GET /health/live HTTP/1.1", "", "200"), ("POST /echo HTTP/1.1", "hello", "200"),
            ("GET /nothing HTTP/1.1", "", "404"), ("HEAD /ws2/validate HTTP/1.1", "", "426"),
            ("POST /ws2/validate HTTP/1.1", "hello", "405"),
        ])
    func elsewhere(line: String, body: String, status: String) async throws {
        try await SessionServer.run { server in
            let fields = body.isEmpty ? [:] : ["Content-Length": "\(body.utf8.count)"]
            let answer = try await server.python("request", Self.request(line, fields, body: body))
            #expect(answer["status"] == status)
            if status == "200", !body.isEmpty { #expect(answer["body"] == body) }
            #expect(answer["connection"] == "close", "swift-nio reads no request after one with Upgrade")
        }
    }

    @Test("A WebSocket can be opened after other requests of the same connection, also if all come at once")
    func later() async throws {
        try await SessionServer.run {
            $0.documentSessions.closeLimit = .milliseconds(100)
        } _: { server in
            let before = "GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n"
            let answer = try await server.python(
                "raw",
                [
                    "before": hex(Array(before.utf8)), "answersBefore": "1",
                    "hex": hex(FrameTests.frame(0x81, Array("{".utf8))),
                ])
            #expect(try FrameTests.frames(answer).count == 2)
        }
    }

    @Test("A connection of HTTP/1.1 without WebSockets serves many requests, and a broken one is answered 400")
    func plain() async throws {
        try await SessionServer.run { server in
            let two =
                "GET /health/live HTTP/1.1\r\nHost: x\r\n\r\nGET /nothing HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
            let answer = try await server.python("request", ["request": two])
            #expect(answer["status"] == "200" && answer["body"]?.contains("HTTP/1.1 404") == true)
            let broken = try await server.python("request", ["request": "NO HTTP\r\n\r\n"])
            #expect(broken["status"] == "400")
        }
    }

    @Test("An address has its number of sessions, and behind a proxy each client has its own")
    func slots() async throws {
        try await SessionServer.run {
            $0.documentSessions.addressSessions = 1
            $0.proxies = [AddressRange("127.0.0.1")].compactMap(\.self)
        } _: { server in
            func steps(_ steps: [Step], from address: String) async throws -> Transcript {
                try await server.steps(steps, ["headers": #"{"Forwarded":"for=\#(address)"}"#])
            }
            async let first = steps(
                [.start(validationId: TestService.ID.slowCheck), .receive(1), .finish()], from: "192.0.2.1")
            try await eventually("the first session waits") { server.service.gate.waitingCount == 1 }
            let second = try await steps([], from: "192.0.2.1")
            #expect(second.status == "429" && second.retryAfter == "10")
            let other = try await steps([.start(), .receive(1), .finish()], from: "192.0.2.2")
            #expect(other.isClosed(1000, ""))
            server.service.gate.open()
            #expect(try await first.isClosed(1000, ""))
            try await eventually("its place is free again") {
                try await steps([.start(), .receive(1), .finish()], from: "192.0.2.1").isClosed(1000, "")
            }
        }
    }

    @Test("An address that begins sessions too often is answered 429")
    func rate() async throws {
        try await SessionServer.run {
            $0.addressRate = .init(perSecond: 1, burst: 1)
            $0.documentSessions.addressSessions = 100
        } _: { server in
            let answer = try await server.python("openings", ["count": "40"])
            #expect(try #require(Int(answer["101"] ?? "")) >= 1)
            #expect(try #require(Int(answer["429"] ?? "")) >= 1)
        }
    }
}
