import Foundation
import ServerHarness
import Testing

@Suite("TLS certificates of a running server")
struct TLSCertificateTests {
    /// A running server looks at its files each ten seconds.
    private static let limitSeconds = 120

    /// The subject of the certificate that a server shows.
    private func subject(_ server: TestServer) async throws -> String {
        try await TestCommand.run(
            "openssl", ["s_client", "-connect", "127.0.0.1:\(server.port)", "-noservername"]
        ).stdout.split(separator: "\n").first { $0.hasPrefix("subject=") }.map(String.init) ?? "none"
    }

    @Test("A renewed certificate is served without a restart, and open connections go on")
    func renewal() async throws {
        let old = try await TestCertificate("old")
        let server = try await TestInstallation().startServer(environment: old.environment)
        #expect(try await subject(server).contains("old"))
        try await TestCertificate("new").replace(old)
        try await eventually("the new certificate is served", within: Self.limitSeconds) {
            try await subject(server).contains("new")
        }
        #expect(server.log.contains("The TLS certificate was read again"))
    }

    @Test("SIGHUP reads the certificate at once")
    func hangUp() async throws {
        let old = try await TestCertificate("old")
        let server = try await TestInstallation().startServer(environment: old.environment)
        // Only the signal lets the server read files that have not changed. It comes to nothing while the server starts.
        try await eventually("the files are read again") {
            kill(server.processID, SIGHUP)
            try await Task.sleep(for: .milliseconds(100))
            return !server.logLines(with: "The TLS certificate was read again").isEmpty
        }
        try await TestCertificate("new").replace(old)
        kill(server.processID, SIGHUP)
        try await eventually("the new certificate is served") { try await subject(server).contains("new") }
        #expect(try await server.stop() == 0)
    }

    @Test("If the new files cannot be used, the old certificate stays, and the log says why")
    func broken() async throws {
        let old = try await TestCertificate("old")
        let server = try await TestInstallation().startServer(environment: old.environment)
        let other = try await TestCertificate("other")
        try Data(contentsOf: URL(filePath: other.certificate))
            .write(to: URL(filePath: old.certificate), options: .atomic)
        kill(server.processID, SIGHUP)
        try await eventually("the server says so") {
            server.logLines(with: "error", "The old TLS certificate stays").contains {
                $0.contains("it is not the key of the first certificate")
            }
        }
        #expect(try await subject(server).contains("old"))
        try await TestCertificate("new").replace(old)
        try await eventually("the repaired files are read", within: Self.limitSeconds) {
            try await subject(server).contains("new")
        }
    }

    @Test("A client can resume its TLS session", arguments: ["-tls1_2", "-tls1_3"])
    func resumption(version: String) async throws {
        let server = try await TestInstallation().startServer(environment: try await TestCertificate().environment)
        let session = TestFolder.shared.unused("session")
        let request = "GET /health/live HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        func connect(_ option: String) async throws -> String {
            try await TestCommand.run(
                "openssl",
                [
                    "s_client", "-connect", "127.0.0.1:\(server.port)", version, "-ign_eof", option, session,
                ], stdin: request
            ).stdout
        }
        #expect(try await connect("-sess_out").contains("New, "))
        #expect(try await connect("-sess_in").contains("Reused, "))
    }
}
