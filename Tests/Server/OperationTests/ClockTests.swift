import Foundation
import ServerHarness
import Testing

/// The server's clock and the database's.
@Suite("Clocks")
struct ClockTests {
    private static let installation = Once { try await TestInstallation() }

    @Test("A server whose clock differs by more than the limit does not start", arguments: [-40, 40])
    func refused(offsetSeconds: Int) async throws {
        let installation = try await Self.installation.value
        let error = await #expect(throws: ServerFailed.self) {
            _ = try await installation.startServer(clockOffsetSeconds: offsetSeconds)
        }
        let message = "\(try #require(error))"
        #expect(message.contains(offsetSeconds > 0 ? "seconds ahead of" : "seconds behind"))
        #expect(message.contains("clock.limit.seconds is 30"))
    }

    @Test("A server whose clock differs by more than two seconds warns, and serves")
    func warned() async throws {
        let installation = try await Self.installation.value
        let server = try await installation.startServer(clockOffsetSeconds: 10)
        #expect(server.logLines(with: "differs from the database's", "is=ahead").count == 1)
        #expect(try await server.request("GET", "/health/ready").status == 200)
        let right = try await installation.startServer()
        #expect(right.logLines(with: "differs from the database's").isEmpty)
    }

    @Test(
        "A server whose clock goes wrong while it runs answers 503, removes nothing, and serves again when it is right")
    func whileRunning() async throws {
        let installation = try await Self.installation.value
        let file = try TestFolder.shared.write("0", named: "clock-offset")
        func shift(_ seconds: Int) throws { try "\(seconds)".write(toFile: file, atomically: true, encoding: .utf8) }
        let server = try await installation.startServer(
            ["--housekeeping-interval-seconds", "1"], clockOffsetFile: file)
        func keypad() async throws -> HTTPAnswer {
            try await server.post(
                "/v1/pin-definition/keypad-coordinates", ["bankId": "x", "uniqueId": "x", "keypadSize": 12])
        }
        #expect(try await keypad().code == 101)
        // By the wrong clock it has expired.
        let spent = "spent_proof WHERE bank_id = 'clock'"
        try await installation.sql(
            """
            INSERT INTO spent_proof (bank_id, kind, digest, expires_at)
                VALUES ('clock', 'nonce', decode(repeat('00', 16), 'hex'), now() + interval '5 minutes')
            """)
        try shift(1000)
        try await eventually("the server refuses", within: 150) { try await keypad().status == 503 }
        #expect(try await keypad()["Retry-After"] != nil)
        #expect(try await server.request("GET", "/health/ready").status == 503)
        #expect(try await server.request("GET", "/health/live").status == 200)
        try await Task.sleep(for: .seconds(3))
        #expect(try await installation.sql("SELECT count(*) FROM \(spent)") == ["1"])
        try shift(0)
        try await eventually("the server serves", within: 150) { try await keypad().code == 101 }
    }

    @Test("A server whose clock is right again serves some seconds later, and not only after a minute")
    func soonAgain() async throws {
        let installation = try await Self.installation.value
        let file = try TestFolder.shared.write("0", named: "clock-offset")
        let server = try await installation.startServer(
            ["--housekeeping-interval-seconds", "3600"], clockOffsetFile: file)
        func ready() async throws -> Int { try await server.request("GET", "/health/ready").status }
        try "1000".write(toFile: file, atomically: true, encoding: .utf8)
        try await eventually("the server refuses", within: 150) { try await ready() == 503 }
        try "0".write(toFile: file, atomically: true, encoding: .utf8)
        try await eventually("the server serves", within: 50) { try await ready() == 200 }
        #expect(server.logLines(with: "error", "This server does not serve").count == 1)
        try await eventually("the server says so") {
            server.logLines(with: "notice", "The clock is right again").count == 1
        }
    }
}
