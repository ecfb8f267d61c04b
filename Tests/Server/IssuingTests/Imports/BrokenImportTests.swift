import ServerHarness
import Testing

/// Imports that fail or are refused leave nothing in the database.
@Suite("Failed imports")
struct BrokenImportTests {
    private static let count = 1200
    /// Blank lines. A server closes the connection of an import that lets it wait; they give it four seconds more.
    private static let blank = Array(
        Array(repeating: String(repeating: " ", count: 1023) + "\n", count: 4).joined().utf8)
    /// So many bytes of a body that is broken off do not come, or are blank.
    private static let restByteCount = 100_000_000

    @Test("An import with a wrong digest writes nothing, and the summary has the error")
    func wrongDigest() async throws {
        let backend = try await Service.shared.value.makeBackendWithServer()
        let lines = Self.lines(Self.count) + ["{broken"]
        var call = backend.importCall(Array(lines.joined(separator: "\n").utf8))
        call.digest = .value(IssuerCall.contentDigest(Array("something else".utf8)))
        let answer = try ImportAnswer(try await backend.server.call(call, by: backend.issuer))
        #expect(answer.status == 200)
        #expect(try answer.results == [.init(line: Self.count + 1, uniqueId: nil, result: "refused", members: [""])])
        #expect(!answer.isCommitted && answer.summary["committed"] == false)
        #expect(answer.summary["error"]?.string?.contains("sha-256") == true)
        try await expectNothingLeft(of: backend)
    }

    @Test("An import whose connection breaks off writes nothing", arguments: [false, true])
    func brokenOff(isChunked: Bool) async throws {
        let backend = try await Service.shared.value.makeBackendWithServer()
        let body = Array((Self.lines(Self.count).joined(separator: "\n") + "\n").utf8)
        let fields = try backend.importCall(body).signedFields(backend.issuer, for: backend.server)
        let length = body.count + Self.restByteCount
        let framing = isChunked ? ("Transfer-Encoding", "chunked") : ("Content-Length", "\(length)")
        let lines = ([("Host", backend.server.authority), framing] + fields).map { "\($0): \($1)\r\n" }.joined()
        let head = "POST \(backend.importCall().path) HTTP/1.1\r\n\(lines)\r\n"
        func part(_ bytes: [UInt8]) -> [UInt8] {
            guard isChunked else { return bytes }
            return Array("\(String(bytes.count, radix: 16))\r\n".utf8) + bytes + Array("\r\n".utf8)
        }
        let connection = try SocketConnection(to: backend.server)
        try await connection.sendAll(Array(head.utf8) + part(body))
        try await connection.sending(part(Self.blank)) {
            try await eventually("lines are staged") { try await staged(backend) >= 1000 }
        }
        connection.breakOff()
        try await eventually("no lines are staged") { try await staged(backend) == 0 }
        try await expectNothingLeft(of: backend)
    }

    @Test("An import whose server crashes writes nothing, and its staged lines are cleaned up")
    func killed() async throws {
        let service = try await Service.shared.value
        var backend = try await service.makeBackend()
        backend.server = try await service.installation.startServer()
        let body = Array((Self.lines(Self.count).joined(separator: "\n") + "\n").utf8)
        let fields = try backend.importCall(body).signedFields(backend.issuer, for: backend.server)
        let length = body.count + Self.restByteCount
        let lines = ([("Host", backend.server.authority), ("Content-Length", "\(length)")] + fields)
            .map { "\($0): \($1)\r\n" }.joined()
        let connection = try SocketConnection(to: backend.server)
        let head = "POST \(backend.importCall().path) HTTP/1.1\r\n\(lines)\r\n"
        try await connection.sendAll(Array(head.utf8) + body)
        try await connection.sending(Self.blank) {
            try await eventually("lines are staged") { try await staged(backend) >= 1000 }
            try await backend.server.kill9()
        }
        try await service.installation.sql(
            "UPDATE import_line SET staged_at = now() - interval '2 days' WHERE bank_id = '\(backend.bank.id)'")
        // Any other server's housekeeping removes the lines.
        let sweeper = try await service.installation.startServer(["--housekeeping-interval-seconds", "1"])
        try await eventually("no lines are staged") { try await staged(backend) == 0 }
        try await sweeper.stop()
        backend.server = service.server
        try await expectNothingLeft(of: backend)
    }

    @Test("An import whose staged lines were lost by the database is not committed")
    func lostLines() async throws {
        // A separate database, so that other tests lose no lines.
        let installation = try await TestInstallation()
        let server = try await installation.startServer()
        let bank = try await installation.makeBank()
        let backend = Backend(
            server: server, bank: bank, issuer: try await installation.makeIssuer(for: bank),
            key: try await server.sealingKey())
        let said = Array((Self.lines(Self.count).joined(separator: "\n") + "\n").utf8)
        let body = said + Array(repeating: Self.blank, count: 1000).joined()
        var rest = body.dropFirst(said.count)
        let fields = try backend.importCall(body).signedFields(backend.issuer, for: backend.server)
        let framing = [
            ("Host", backend.server.authority), ("Connection", "close"), ("Content-Length", "\(body.count)"),
        ]
        let lines = (framing + fields).map { "\($0): \($1)\r\n" }.joined()
        let connection = try SocketConnection(to: server)
        let head = Array("POST \(backend.importCall().path) HTTP/1.1\r\n\(lines)\r\n".utf8)
        try await connection.sendAll(head + said)
        try await eventually("lines are staged") {
            if rest.count > Self.blank.count {
                try await connection.sendAll(Self.blank)
                rest = rest.dropFirst(Self.blank.count)
            }
            return try await installation.sql("SELECT count(*) >= 1000 FROM import_line") == ["t"]
        }
        // A crash of PostgreSQL also empties an unlogged table.
        try await installation.sql("TRUNCATE import_line")
        try await connection.sendAll(Array(rest))
        var answer = ""
        try await eventually("the summary has arrived") {
            answer += String(decoding: try connection.receive() ?? [], as: UTF8.self)
            return answer.contains("committed")
        }
        #expect(answer.contains(#""committed":false"#) && answer.contains("lost lines"))
        #expect(!answer.contains(#""committed":true"#))
        try await server.stop()
    }

    @Test("A third simultaneous import of a bank is answered 429 with Retry-After")
    func tooMany() async throws {
        let installation = try await TestInstallation()
        let server = try await installation.startServer()
        let bank = try await installation.makeBank()
        let backend = Backend(
            server: server, bank: bank, issuer: try await installation.makeIssuer(for: bank),
            key: try await server.sealingKey())
        let body = Array((Self.lines(Self.count).joined(separator: "\n") + "\n").utf8)
        let connections = [try await begin(body, by: backend), try await begin(body, by: backend)]
        let answer = try await sending(over: connections[...]) {
            try await eventually("both imports have started") {
                try await installation.sql("SELECT count(DISTINCT import_id) FROM import_line") == ["2"]
            }
            return try await server.call(backend.importCall(body), by: backend.issuer)
        }
        #expect(answer.status == 429 && answer.problem == "too-many-imports")
        #expect(answer["Retry-After"].flatMap { Int($0) } ?? 0 > 0)
        for connection in connections { connection.breakOff() }
        try await eventually("an import is accepted again") {
            try await server.call(backend.importCall(body), by: backend.issuer).status == 200
        }
        try await server.stop()
    }

    @Test("Other banks' imports cannot keep a bank from its own one")
    func ownPlace() async throws {
        let installation = try await TestInstallation()
        let server = try await installation.startServer()
        let key = try await server.sealingKey()
        func makeBackend() async throws -> Backend {
            let bank = try await installation.makeBank()
            return Backend(
                server: server, bank: bank, issuer: try await installation.makeIssuer(for: bank), key: key)
        }
        let body = Array((Self.lines(Self.count).joined(separator: "\n") + "\n").utf8)
        let (first, second, third) = try await (makeBackend(), makeBackend(), makeBackend())
        var connections: [SocketConnection] = []
        for backend in [first, first, second, second] { connections.append(try await begin(body, by: backend)) }
        try await sending(over: connections[...]) {
            try await eventually("four imports have started") {
                try await installation.sql("SELECT count(DISTINCT import_id) FROM import_line") == ["4"]
            }
            #expect(try await server.call(second.importCall(body), by: second.issuer).status == 429)
            #expect(try await server.call(third.importCall(body), by: third.issuer).status == 200)
        }
        for connection in connections { connection.breakOff() }
        try await server.stop()
    }

    @Test("An import whose client becomes too slow is broken off, and writes nothing")
    func slow() async throws {
        let installation = try await TestInstallation()
        let server = try await installation.startServer(environment: ["HTTP_IDLE_TIMEOUT_SECONDS": "600"])
        let bank = try await installation.makeBank()
        let backend = Backend(
            server: server, bank: bank, issuer: try await installation.makeIssuer(for: bank),
            key: try await server.sealingKey())
        let connection = try await begin(
            Array((Self.lines(Self.count).joined(separator: "\n") + "\n").utf8), by: backend)
        try await eventually("the connection is closed", within: 120) {
            // Less than a kilobyte per second.
            try await Task.sleep(for: .seconds(1))
            do {
                _ = try connection.send([UInt8(ascii: " ")])
                while let bytes = try connection.receive() {
                    if bytes.isEmpty { return false }
                }
            } catch is SocketConnection.Broken {}
            return true
        }
        try await eventually("no lines are staged") {
            try await installation.sql("SELECT count(*) FROM import_line") == ["0"]
        }
        #expect(try await installation.sql("SELECT count(*) FROM cardholder") == ["0"])
        #expect(try await server.call(backend.importCall([]), by: backend.issuer).status == 200)
        try await server.stop()
    }

    /// Lets imports go on while `body` runs: the server breaks off those whose bytes do not come.
    private func sending<Result>(
        over connections: ArraySlice<SocketConnection>, _ body: () async throws -> Result
    ) async rethrows -> Result {
        guard let first = connections.first else { return try await body() }
        return try await first.sending(Self.blank) { try await sending(over: connections.dropFirst(), body) }
    }

    /// Begins an import whose end does not come.
    private func begin(_ body: [UInt8], by backend: Backend) async throws -> SocketConnection {
        let fields = try backend.importCall(body).signedFields(backend.issuer, for: backend.server)
        let length = body.count + Self.restByteCount
        let lines = ([("Host", backend.server.authority), ("Content-Length", "\(length)")] + fields)
            .map { "\($0): \($1)\r\n" }.joined()
        let connection = try SocketConnection(to: backend.server)
        let head = "POST \(backend.importCall().path) HTTP/1.1\r\n\(lines)\r\n"
        try await connection.sendAll(Array(head.utf8) + body)
        return connection
    }

    @Test("An empty import is committed")
    func empty() async throws {
        let backend = try await Service.backend.value
        let answer = try await backend.importLines("")
        #expect(answer.status == 200 && answer.isCommitted && answer.counts == [0, 0, 0])
    }

    @Test("An import that is not authorized is refused before its lines are read")
    func refused() async throws {
        let service = try await Service.shared.value
        let backend = try await service.makeBackendWithServer()
        let body = Array(Self.lines(Self.count).joined(separator: "\n").utf8)
        var uncovered = backend.importCall(body)
        uncovered.components.removeLast()
        expectUnauthenticated(
            try await backend.server.call(uncovered, by: backend.issuer), "does not cover \"content-digest\"")
        var typed = backend.importCall(body)
        typed.headers = [("Content-Type", "application/json")]
        #expect(try await backend.server.call(typed, by: backend.issuer).status == 415)
        let other = try await Service.backend.value
        #expect(try await backend.server.call(backend.importCall(body), by: other.issuer).status == 403)
        let forger = try TestIssuer(bankId: backend.bank.id, keyId: backend.issuer.keyId)
        #expect(try await backend.server.call(backend.importCall(body), by: forger).status == 401)
        let call = backend.importCall(body)
        #expect(try await backend.server.call(call, by: backend.issuer).status == 200)
        expectUnauthenticated(
            try await backend.server.call(call, by: backend.issuer), "Sign the call again", kind: "nonce")
    }

    private static func lines(_ count: Int) -> [String] {
        (0..<count).map { #"{"uniqueId":"holder-\#($0)"}"# }
    }

    private func staged(_ backend: Backend) async throws -> Int {
        let rows = try await Service.shared.value.installation.sql(
            "SELECT count(*) FROM import_line WHERE bank_id = '\(backend.bank.id)'")
        return Int(rows.joined()) ?? -1
    }

    private func expectNothingLeft(of backend: Backend) async throws {
        #expect(try await staged(backend) == 0)
        let rows = try await Service.shared.value.installation.sql(
            "SELECT count(*) FROM cardholder WHERE bank_id = '\(backend.bank.id)'")
        #expect(rows == ["0"])
        // The bank can retry at once.
        let again = try await backend.importLines(Self.lines(Self.count).joined(separator: "\n"))
        #expect(again.isCommitted && again.counts == [Self.count, 0, 0])
    }
}
