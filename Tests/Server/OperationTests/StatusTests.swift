import Foundation
import ServerHarness
import Testing

@Suite("status")
struct StatusTests {
    @Test("A server that serves, with and without TLS, one that does not, and none at all", arguments: [false, true])
    func status(isSecure: Bool) async throws {
        let cluster = try await TestCluster()
        let plain = try await TestInstallation(on: cluster)
        let tls = isSecure ? try await TestCertificate().environment : [:]
        let installation = plain.with(environment: tls)
        let server = try await installation.startServer(environment: [
            "DATABASE_ANSWER_TIMEOUT_MILLISECONDS": "2000", "DATABASE_ACQUIRE_TIMEOUT_SECONDS": "2",
        ])
        let command = ["status", "--http-port", "\(server.port)"]
        var serving = try await installation.run(command)
        try await eventually("the machine is not too busy for the limits") {
            if serving.status != 0 { serving = try await installation.run(command) }
            return serving.status == 0
        }
        #expect(serving.stdout.contains("\(isSecure ? "https" : "http")://127.0.0.1:\(server.port) serves requests"))
        await cluster.stop()
        let silent = try await installation.run(command + ["--json"])
        #expect(silent.status == 1, "\(silent)")
        #expect(silent.stdout.contains(#""isReady":false"#), "\(silent)")
        let text = try await installation.run(command)
        #expect(text.status == 1 && text.stdout.contains("Its log says more"), "\(text)")
        try await server.stop()
        let gone = try await installation.run(command)
        #expect(gone.status == 69 && gone.stderr.contains("no server answers at"), "\(gone)")
    }

    @Test("With a port that the system chooses, it says what to do")
    func unknownPort() async throws {
        let result = try await TestInstallation().run(["status", "--http-port", "0"])
        #expect(result.status == 65 && result.stderr.contains("--http-port"))
    }
}
