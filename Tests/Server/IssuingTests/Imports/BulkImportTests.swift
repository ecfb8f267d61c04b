import ServerHarness
import Testing

/// Large imports: streamed in both directions, in bounded memory.
@Suite("Large imports", .serialized)
struct BulkImportTests {
    /// The maximum growth of a server's memory during an import, in bytes. It is far less than the import's size.
    static let growthLimit = 16 << 20

    @Test("20,000 cardholders with PINs are imported in one call")
    func many() async throws {
        let service = try await Service.shared.value
        // One sealed PIN for all: this bank takes values that name no cardholder.
        let backend = try await service.makeBackendWithServer(["--sealed-values", "any"])
        let count = 20_000
        let members = try ["authenticationCode": "Code4711", "pin": "830527"].map { name, text in
            #""\#(name)":"\#(try backend.key.seal(Array(text.utf8), nil))""#
        }
        let lines = Lines(count: count, perPiece: 50) { number in
            #"{"uniqueId":"\#(Self.name(number))",\#(members.joined(separator: ","))}"# + "\n"
        }
        let answer = try await stream(lines, backend)
        #expect(answer.isCommitted && answer.counts == [count, 0, 0])
        #expect(try answer.results.map(\.line) == Array(1...count))
        #expect(try answer.results.allSatisfy { $0.uniqueId == Self.name($0.line - 1) && $0.result == "created" })
        let rows = try await service.installation.sql(
            "SELECT count(*) FROM cardholder WHERE bank_id = '\(backend.bank.id)' AND sealed_pin IS NOT NULL")
        #expect(rows == ["\(count)"])
        for number in [0, 499, 500, count - 1] {
            let fetched = try await backend.fetch(TestCardholder(Self.name(number)))
            #expect(fetched.delivery?.members["length"] == 6)
        }
    }

    @Test("Memory use does not depend on the number of lines")
    func constantMemory() async throws {
        let (backend, installation) = try await ownServer()
        let server = backend.server
        let count = 50_000
        let freeField = String(repeating: "x", count: 1000)
        func lines(_ count: Int) -> Lines {
            Lines(count: count, perPiece: 100) { number in
                #"{"uniqueId":"\#(Self.name(number))","freeField":"\#(freeField)"}"# + "\n"
            }
        }
        for _ in 0..<20 { #expect(try await stream(lines(1), backend).isCommitted) }
        #expect(try await stream(lines(5_000), backend).isCommitted)
        // Now the statistics show a small table, so the database plans for few lines.
        try await installation.sql("ANALYZE import_line")
        let before = try server.residentBytes()
        let answer = try await stream(lines(count), backend)
        #expect(answer.isCommitted && answer.counts == [count - 5_000, 0, 0])
        let growth = try server.residentBytes() - before
        #expect(growth < Self.growthLimit, "\(growth) bytes")
        try await server.stop()
    }

    @Test("If the client stops reading, the server stops reading too, until the client reads again (back-pressure)")
    func backPressure() async throws {
        let (backend, _) = try await ownServer()
        let server = backend.server
        let count = 100_000
        let junk = String(repeating: "j", count: 399) + "\n"
        let lines = Lines(count: count, perPiece: 100) { _ in junk }
        let connection = try SocketConnection(to: server)
        try await connection.sendAll(try head(lines, backend))
        let before = try server.residentBytes()

        var body = Sender(lines)
        try await body.sendUntilStalled(connection)
        #expect(body.sentByteCount < count * 400, "the server read everything")
        let growth = try server.residentBytes() - before
        #expect(growth < Self.growthLimit, "\(growth) bytes")

        let answer = try await body.sendRestAndRead(connection)
        let text = String(decoding: answer, as: UTF8.self)
        #expect(text.hasPrefix("HTTP/1.1 200"))
        #expect(text.contains(Self.summary(refused: count)))
        #expect(text.contains(#""line":\#(count),"#))
        try await server.stop()
    }

    @Test("Refusals are sent while the body is still arriving")
    func streamed() async throws {
        let backend = try await Service.shared.value.makeBackendWithServer()
        let junk = Lines(count: 2_000, perPiece: 2_000) { _ in "junk\n" }
        let connection = try SocketConnection(to: backend.server)
        try await connection.sendAll(try head(junk, backend))
        let body = junk.flatMap(\.self)
        try await connection.sendAll(Array(body.dropLast()))
        var answer = ""
        try await eventually("the first line's result has arrived") {
            answer += String(decoding: try connection.receive() ?? [], as: UTF8.self)
            return answer.contains(#""line":1,"#)
        }
        #expect(!answer.contains("committed"))
        try await connection.sendAll(Array(body.suffix(1)))
        try await eventually("the summary has arrived") {
            answer += String(decoding: try connection.receive() ?? [], as: UTF8.self)
            return answer.contains(Self.summary(refused: 2000))
        }
    }

    @Test("An import waits for locked cardholder rows, even longer than the idle timeout")
    func lockedRows() async throws {
        let service = try await Service.shared.value
        var backend = try await service.makeBackend()
        backend.server = try await service.installation.startServer(
            environment: ["HTTP_IDLE_TIMEOUT_SECONDS": "1", "DATABASE_STATEMENT_TIMEOUT_MILLISECONDS": "300000"])
        let (own, holder) = (backend, try await backend.created())
        let line = try holder.line(sealedTo: backend.key, of: backend.bank.id)
        try await service.installation.holding(
            "SELECT 1 FROM cardholder WHERE unique_id = '\(holder.uniqueId)' FOR UPDATE"
        ) { lock in
            async let answer = own.importLines(line)
            try await eventually("the import waits") { try await lock.waiting() > 0 }
            try await Task.sleep(for: .seconds(2))
            try await lock.release()
            let (isCommitted, counts) = (try await answer.isCommitted, try await answer.counts)
            #expect(isCommitted && counts == [0, 1, 0])
        }
        try await own.server.stop()
    }

    private static func summary(refused: Int) -> String {
        #"{"committed":true,"created":0,"deleted":0,"lines":\#(refused),"refused":\#(refused),"replaced":0,"unchanged":0}"#
    }

    private static func name(_ number: Int) -> String { "holder-\(number)" }

    /// A back-end with a server and a database that no other test uses.
    private func ownServer() async throws -> (Backend, TestInstallation) {
        let installation = try await TestInstallation()
        let server = try await installation.startServer()
        let bank = try await installation.makeBank()
        let issuer = try await installation.makeIssuer(for: bank)
        return (Backend(server: server, bank: bank, issuer: issuer, key: try await server.sealingKey()), installation)
    }

    private func call(_ lines: Lines, _ backend: Backend) -> IssuerCall {
        var call = backend.importCall()
        call.digest = .value(lines.contentDigest)
        return call
    }

    /// The head of a call. The body follows.
    private func head(_ lines: Lines, _ backend: Backend) throws -> [UInt8] {
        let call = call(lines, backend)
        let length = lines.reduce(0) { $0 + $1.count }
        let framing = [("Host", backend.server.authority), ("Connection", "close"), ("Content-Length", "\(length)")]
        let fields = try (framing + call.signedFields(backend.issuer, for: backend.server)).map { "\($0): \($1)\r\n" }
        return Array("POST \(call.path) HTTP/1.1\r\n\(fields.joined())\r\n".utf8)
    }

    private func stream(_ lines: Lines, _ backend: Backend) async throws -> ImportAnswer {
        let call = call(lines, backend)
        let fields = try call.signedFields(backend.issuer, for: backend.server)
        return try ImportAnswer(try await backend.server.stream("POST", call.path, headers: fields, body: lines))
    }
}
