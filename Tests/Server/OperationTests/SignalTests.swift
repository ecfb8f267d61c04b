import Foundation
import ServerHarness
import Testing

@Suite("Signals to the server")
struct SignalTests {
    @Test("SIGHUP does not end the server; SIGTERM and SIGINT do, with status 0", arguments: [SIGTERM, SIGINT])
    func hangUp(signal: Int32) async throws {
        let server = try await TestInstallation().startServer()
        kill(server.processID, SIGHUP)
        for _ in 0..<5 {
            try await Task.sleep(for: .milliseconds(100))
            #expect(try await server.request("GET", "/health/ready").status == 200)
        }
        kill(server.processID, signal)
        #expect(try await server.ended() == 0)
    }
}
