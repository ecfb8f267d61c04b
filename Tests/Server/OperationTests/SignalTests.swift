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

    @Test("systemd is told when the server listens, that it is alive, and when it stops", arguments: ["", "@"])
    func serviceManager(prefix: String) async throws {
        let (path, heard) = (TestFolder.shared.unused("notify"), TestFolder.shared.unused("heard"))
        // Datagrams, one after the other, until their file is closed.
        let receiver = try TestProcess(
            [
                "python3", "-u", "-c",
                """
                import socket, sys
                own = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
                own.bind(sys.argv[1].replace("@", chr(0)))
                print("bound")
                while True: print(own.recv(4096).decode().replace(chr(10), " "))
                """, prefix + path,
            ], outputPath: heard)
        defer { receiver.send(SIGKILL) }
        func lines() throws -> [String] {
            try String(contentsOfFile: heard, encoding: .utf8).split(separator: "\n").map(String.init)
        }
        try await eventually("the receiver is bound") { try lines() == ["bound"] }
        let server = try await TestInstallation().startServer(
            environment: ["NOTIFY_SOCKET": prefix + path, "WATCHDOG_USEC": "200000"])
        try await eventually("the server is ready, and was alive three times") {
            let lines = try lines()
            return lines.contains { $0.hasPrefix("READY=1 STATUS=Listening at http://127.0.0.1:") }
                && lines.count { $0 == "WATCHDOG=1" } >= 3
        }
        kill(server.processID, SIGTERM)
        #expect(try await server.ended() == 0)
        try await eventually("the server has said that it stops") { try lines().contains("STOPPING=1 STATUS=Stopping") }
    }
}
