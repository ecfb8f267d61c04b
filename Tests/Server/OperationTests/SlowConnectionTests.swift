import ServerHarness
import Testing

/// Clients that hold connections without using them.
@Suite("Slow connections")
struct SlowConnectionTests {
    private static let server = Once {
        try await TestInstallation().startServer(environment: ["HTTP_IDLE_TIMEOUT_SECONDS": "600"])
    }

    /// Longer than the ten seconds that a request can take, but not so long as an exchange can: 120 seconds.
    private static let limitSeconds = 110

    @Test(
        "A request that comes byte by byte is cut off",
        arguments: [
            "POST /v1/pin-distribution/captcha HTTP/1.1\r\n", "POST /v1/banks/b/cardholders:import HTTP/1.1\r\n",
            "GET /health/live HTTP/1.1\r\nHost: x\r\n\r\nGET ",
        ])
    func slow(start: String) async throws {
        let connection = try SocketConnection(to: try await Self.server.value)
        try await connection.sendAll(Array(start.utf8))
        try await expectEnd(of: connection) { _ = try connection.send([UInt8(ascii: "x")]) }
    }

    @Test("A request whose body does not come is cut off")
    func noBody() async throws {
        let connection = try SocketConnection(to: try await Self.server.value)
        let head = "POST /v1/pin-distribution/captcha HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
        try await connection.sendAll(Array("\(head)Content-Length: 5\r\n\r\n{".utf8))
        try await expectEnd(of: connection) {}
    }

    @Test("A connection that never begins a request is closed")
    func silent() async throws {
        let connection = try SocketConnection(to: try await Self.server.value)
        try await expectEnd(of: connection) {}
    }

    @Test(
        "An address has only so many connections, by default a quarter, and gets new ones when others are closed",
        arguments: ["HTTP_ADDRESS_CONNECTIONS=20", "HTTP_CONNECTIONS=80"])
    func tooMany(setting: String) async throws {
        let parts = setting.split(separator: "=").map(String.init)
        let server = try await TestInstallation().startServer(
            environment: [parts[0]: parts[1], "HTTP_IDLE_TIMEOUT_SECONDS": "600"])
        var connections: [SocketConnection] = []
        for _ in 0..<100 {
            let connection = try SocketConnection(to: server)
            // A connection that never begins a request would be closed too.
            _ = try? connection.send(Array("GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n".utf8)[...])
            connections.append(connection)
        }
        try await eventually("the server has closed the connections above the limit") {
            connections.removeAll(where: Self.hasEnded)
            return connections.count == 20
        }
        #expect(server.hasRareWarning(with: "too many connections", "address=127.0.0.1"))
        connections.removeLast()
        try await eventually("a new connection is served") {
            (try? await server.request("GET", "/health/live"))?.status == 200
        }
    }

    private func expectEnd(of connection: SocketConnection, _ act: () throws -> Void) async throws {
        try await eventually("the connection is closed", within: Self.limitSeconds) {
            do {
                try await Task.sleep(for: .milliseconds(500))
                try act()
                return Self.hasEnded(connection)
            } catch is SocketConnection.Broken {
                return true
            }
        }
    }

    private static func hasEnded(_ connection: SocketConnection) -> Bool {
        do {
            // Answers before the end are read away.
            while let bytes = try connection.receive() {
                if bytes.isEmpty { return false }
            }
            return true
        } catch {
            return true
        }
    }
}
