import Foundation
import ServerHarness
import Testing

/// For root only: a server that root starts, and that becomes another user.
@Suite("A server that root starts", .enabled(if: geteuid() == 0, "needs root"))
struct RootServerTests {
    /// A port that only root and its like can listen on, on most systems.
    private static let port = "871"

    @Test("It becomes the user of the setting, and keeps nothing but the right to listen on its port")
    func user() async throws {
        let server = try await TestServer.withPrivateDatabase(environment: [
            "HTTP_PORT": Self.port, "SERVER_USER": "nobody",
        ])
        #expect(try await server.request("GET", "/health/ready").status == 200)
        let id = try #require(getpwnam("nobody")).pointee.pw_uid
        let status = try String(contentsOfFile: "/proc/\(server.processID)/status", encoding: .utf8)
        #expect(status.contains("Uid:\t\(id)\t\(id)\t\(id)\t\(id)\n"))
        for set in ["CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"] {
            #expect(status.contains("\(set):\t0000000000000400\n"), "\(set)")
        }
        #expect(status.contains("NoNewPrivs:\t1\n"))
        #expect(try await server.stop() == 0)
    }

    @Test("A user that does not exist, and root itself, are refused", arguments: ["no-such-user", "root"])
    func wrong(name: String) async throws {
        let result = try await TestCommand.run(
            "timeout",
            [
                "60", CardCompanionBinary.path, "serve", "--http-port", "0", "--server-user", name, "--data-directory",
                TestFolder.shared.unused("data"),
            ])
        #expect(result.status == 78)
        #expect(result.stderr.contains(name), "\(result.stderr)")
    }
}
