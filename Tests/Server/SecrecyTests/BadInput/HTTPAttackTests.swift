import ServerHarness
import Testing

@Suite("Malformed HTTP")
struct HTTPAttackTests {
    @Test("A malformed request is answered 4xx or cut off, and the server stays ready", arguments: BadRequests.all)
    func garbage(_ name: String, _ bytes: [UInt8]) async throws {
        let target = try await Target.shared.value
        let answers = try await exchange(bytes, target.server.port)
        #expect(answers.allSatisfy { (400..<500).contains($0.status) }, "\(name): \(answers.map(\.status))")
        #expect(try await target.server.request("GET", "/health/ready").status == 200)
    }

    @Test("A request that is smuggled in another one's body is never served")
    func smuggling() async throws {
        let target = try await Target.shared.value
        let hidden = "GET /openapi.yaml HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
        let framings = [
            "Content-Length: \(hidden.utf8.count + 5)\r\nTransfer-Encoding: chunked",
            "Transfer-Encoding: chunked\r\nContent-Length: 5", "Transfer-Encoding : chunked\r\nContent-Length: 5",
            "Transfer-Encoding: xchunked\r\nContent-Length: 5", "Transfer-Encoding:\u{b}chunked\r\nContent-Length: 5",
            "Content-Length: 5\r\nContent-Length: \(hidden.utf8.count + 5)",
            "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\nContent-Length: 5",
        ]
        for framing in framings {
            let answers = try await exchange(
                Array("\(BadRequests.post)\(framing)\r\n\r\n0\r\n\r\n\(hidden)".utf8), target.server.port)
            #expect(!answers.contains { $0.text.contains("openapi:") }, "\(framing)")
            #expect(answers.allSatisfy { $0.status >= 400 }, "\(framing)")
        }
    }

    @Test(
        "A body that is too long is answered 413, with Content-Length and in chunks")
    func tooLong() async throws {
        let target = try await Target.shared.value
        let body = Array(#"{"bankId":""#.utf8) + [UInt8](repeating: 0x78, count: 1 << 20)
        let told = Array("\(BadRequests.post)Connection: close\r\nContent-Length: \(body.count)\r\n\r\n".utf8) + body
        #expect(try await exchange(told, target.server.port).map(\.status) == [413])
        let chunked =
            Array("\(BadRequests.post)Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n".utf8)
            + Array("\(String(body.count, radix: 16))\r\n".utf8) + body + Array("\r\n0\r\n\r\n".utf8)
        #expect(try await exchange(chunked, target.server.port).map(\.status) == [413])
        let promised = Array("\(BadRequests.post)Connection: close\r\nContent-Length: 1099511627776\r\n\r\n{".utf8)
        let statuses = try await exchange(promised, target.server.port).map(\.status)
        #expect(statuses.allSatisfy { [400, 413].contains($0) })
    }

    @Test("Pipelined requests are answered in order")
    func pipelining() async throws {
        let target = try await Target.shared.value
        let paths = (0..<60).map { $0.isMultiple(of: 3) ? "/nowhere" : "/health/live" }
        let requests = paths.map { "GET \($0) HTTP/1.1\r\nHost: x\r\n\r\n" }.joined()
        let last = "GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
        let answers = try await exchange(Array((requests + last).utf8), target.server.port)
        #expect(answers.map(\.status) == paths.map { $0 == "/nowhere" ? 404 : 200 } + [200])
    }

    @Test("A client that closes its side after the request still gets a response")
    func halfClosed() async throws {
        let target = try await Target.shared.value
        let body = Array(JSON.object(try Operation.keypad.members(target)).text.utf8)
        let request =
            "POST \(Operation.keypad.path) HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
            + "Content-Length: \(body.count)\r\n\r\n"
        let answers = try await exchange(Array(request.utf8) + body, target.server.port)
        #expect(answers.map(\.code) == [0])
    }

    @Test("A request that is sent byte by byte is served")
    func slowSender() async throws {
        let target = try await Target.shared.value
        let body = JSON.object(try Operation.keypad.members(target)).text
        let request =
            "POST \(Operation.keypad.path) HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
            + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
        let answer = try await RawConnection.open(target.server.port) { connection in
            for byte in request.utf8 { try await connection.send([byte]) }
            return try await connection.receiveAnswer()
        }
        #expect(answer?.code == 0)
    }

    /// Sends everything, closes its own side, and reads to the end.
    private func exchange(_ bytes: [UInt8], _ port: Int) async throws -> [RawAnswer] {
        try await RawConnection.open(port) { connection in
            try await connection.send(bytes)
            try await connection.closeOutput()
            return RawAnswer.all(in: try await connection.receiveAll())
        }
    }
}

/// Byte sequences that are not valid HTTP/1.1 requests.
private enum BadRequests {
    static let post =
        "POST /v1/pin-distribution/captcha HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"

    static let all: [(String, [UInt8])] =
        [
            ("no HTTP", "canary\r\n\r\n"), ("HTTP/0.9", "GET /health/live\r\n\r\n"),
            ("HTTP/9.9", "GET /health/live HTTP/9.9\r\nHost: x\r\n\r\n"),
            ("a TLS greeting", "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}\u{0}"), ("no method", "/health/live HTTP/1.1\r\n\r\n"),
            ("an unknown method", "CANARY /health/live HTTP/1.1\r\nHost: x\r\n\r\n"),
            ("CONNECT", "CONNECT x:1 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"),
            ("a path with a line break", "GET /a\nb HTTP/1.1\r\nHost: x\r\n\r\n"),
            ("a path above the root", "GET /../../etc/passwd HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"),
            ("a path with NUL", "GET /%00 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"),
            (
                "a header of 20 KB",
                "GET /health/live HTTP/1.1\r\nHost: x\r\nX: \(String(repeating: "x", count: 20_000))\r\n\r\n"
            ),
            ("a path of 100 KB", "GET /\(String(repeating: "x", count: 100_000)) HTTP/1.1\r\nHost: x\r\n\r\n"),
            ("a thousand headers", "GET /health/live HTTP/1.1\r\n\((0..<1000).map { "X\($0): y\r\n" }.joined())\r\n"),
            ("a header without a colon", "GET /health/live HTTP/1.1\r\nHost x\r\n\r\n"),
            ("a folded header", "GET /health/live HTTP/1.1\r\nHost: x\r\n y\r\n\r\n"),
            ("a header with NUL", "GET /health/live HTTP/1.1\r\nHost: x\u{0}y\r\n\r\n"),
            ("a space before the colon", "GET /health/live HTTP/1.1\r\nHost : x\r\n\r\n"),
            ("a negative length", "\(post)Content-Length: -1\r\n\r\n{}"),
            ("a length that is not a number", "\(post)Content-Length: many\r\n\r\n{}"),
            ("a length that overflows", "\(post)Content-Length: 99999999999999999999999\r\n\r\n{}"),
            ("a length with a sign", "\(post)Content-Length: +2\r\n\r\n{}"),
            ("two lengths", "\(post)Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}x"),
            ("a list of lengths", "\(post)Content-Length: 2, 3\r\n\r\n{}x"),
            ("a length and chunks", "\(post)Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
            ("chunks and a length", "\(post)Transfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n0\r\n\r\n"),
            ("chunks that are not the last coding", "\(post)Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n"),
            ("an unknown coding", "\(post)Transfer-Encoding: canary\r\n\r\n0\r\n\r\n"),
            ("a chunk size that is not a number", "\(post)Transfer-Encoding: chunked\r\n\r\ncanary\r\n{}\r\n0\r\n\r\n"),
            ("a negative chunk size", "\(post)Transfer-Encoding: chunked\r\n\r\n-2\r\n{}\r\n0\r\n\r\n"),
            ("a chunk size that overflows", "\(post)Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n{}"),
            ("a chunk without its end", "\(post)Transfer-Encoding: chunked\r\n\r\n2\r\n{}canary\r\n0\r\n\r\n"),
            ("a chunk without data", "\(post)Transfer-Encoding: chunked\r\n\r\n5\r\n"),
        ].map { ($0, Array($1.utf8)) } + [
            ("random bytes", (0..<20_000).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ ($0 >> 7)) }),
            ("zeros", [UInt8](repeating: 0, count: 100_000)),
        ]
}
