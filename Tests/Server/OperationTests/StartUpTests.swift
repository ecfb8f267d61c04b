import Foundation
import ServerHarness
import Testing

/// What an operator reads when a server cannot start: one line that names the setting and what to do.
@Suite("Failures at the start")
struct StartUpTests {
    private func serve(
        _ installation: TestInstallation, _ arguments: [String], environment: [String: String] = [:]
    ) async throws -> CommandResult {
        try await installation.with(environment: environment).run(["serve", "--http-port", "0"] + arguments)
    }

    /// The last line, which must be the program's own.
    private func complaint(_ result: CommandResult) throws -> String {
        let last = try #require(result.stderr.split(separator: "\n").last.map(String.init))
        #expect(last.hasPrefix("card-companion: "), "\(result)")
        #expect(!last.contains("errno") && !last.contains("descriptor"), "\(last)")
        return last
    }

    @Test("A port that is in use")
    func portInUse() async throws {
        let installation = try await TestInstallation()
        let server = try await installation.startServer()
        let result = try await serve(installation, ["--http-port", "\(server.port)"])
        #expect(result.status == 78)
        let line = try complaint(result)
        #expect(line.contains("cannot listen on 127.0.0.1 port \(server.port): another program listens there"))
        #expect(result.stderr == "\(line)\n")
    }

    @Test(
        "A host that is not of this machine, or that nobody knows",
        arguments: [("192.0.2.77", "Set http.host"), ("nobody.invalid", "no address was found for http.host")])
    func wrongHost(host: String, text: String) async throws {
        let installation = try await TestInstallation()
        let result = try await serve(installation, ["--http-host", host, "--http-plain", "allowed"])
        #expect(result.status == 78)
        let line = try complaint(result)
        #expect(line.contains("cannot listen on \(host) port 0") && line.contains(text))
    }

    @Test("A database that is down")
    func noDatabase() async throws {
        let installation = try await TestInstallation()
        let result = try await serve(installation, ["--database-url", "postgresql://127.0.0.1:1/cards"])
        #expect(result.status == 69)
        #expect(try complaint(result).contains("the database is not available: connection to server at \"127.0.0.1\""))
    }

    @Test("Files of TLS that cannot be used, named by 'serve' and by 'check-config'")
    func tlsFiles() async throws {
        let installation = try await TestInstallation()
        let (one, other) = (try await TestCertificate(), try await TestCertificate())
        let empty = try TestFolder.shared.write("nothing", named: "tls.pem")
        for (certificate, key, text) in [
            ("/nowhere.pem", one.key, "http.tls.certificate: /nowhere.pem cannot be used: No such file or directory"),
            (one.certificate, "/nowhere.key", "http.tls.key: /nowhere.key cannot be used: No such file or directory"),
            (empty, one.key, "it contains no certificate in PEM"),
            (one.certificate, empty, "it contains no private key in PEM"),
            (one.certificate, other.key, "it is not the key of the first certificate in \(one.certificate)"),
        ] {
            let arguments = ["--http-tls-certificate", certificate, "--http-tls-key", key]
            for command in [["serve", "--http-port", "0"], ["check-config"]] {
                let result = try await installation.run(command + arguments)
                #expect(result.status == 78, "\(result)")
                #expect(try complaint(result).contains(text))
            }
        }
    }

    @Test("A server says if clients refuse its certificate, or soon will")
    func certificateTime() async throws {
        let installation = try await TestInstallation()
        for (certificate, text) in [
            (try await TestCertificate.expired(), "The TLS certificate has expired, and clients refuse it"),
            (try await TestCertificate.ending(days: 10), "The TLS certificate ends soon"),
        ] {
            let server = try await installation.with(environment: certificate.environment).startServer()
            try await eventually("the log says it") { server.log.contains(text) }
            #expect(server.log.contains(certificate.certificate))
            try await server.stop()
        }
    }

    @Test("A server whose clock is before its certificate's time says so")
    func earlyCertificate() async throws {
        let installation = try await TestInstallation()
        let certificate = try await TestCertificate()
        let server = try await installation.with(environment: certificate.environment).startServer(
            ["--clock-limit-seconds", "600"], clockOffsetSeconds: -590)
        try await eventually("the log says it") {
            server.log.contains("The TLS certificate is not valid yet, and clients refuse it")
        }
        try await server.stop()
    }

    @Test("'check-config' refuses an expired certificate and a database that is down")
    func checkConfig() async throws {
        let installation = try await TestInstallation()
        let expired = try await TestCertificate.expired()
        let old = try await installation.with(environment: expired.environment).run(["check-config"])
        #expect(old.status == 78 && old.stderr.contains("expired on"), "\(old)")
        let soon = try await TestCertificate(days: 10)
        let warned = try await installation.with(environment: soon.environment).run(["check-config"])
        #expect(warned.status == 0 && warned.stderr.contains("expires in 9 days"), "\(warned)")
        #expect(chmod(soon.key, 0o644) == 0)
        let open = try await installation.with(environment: soon.environment).run(["check-config"])
        #expect(open.status == 0 && open.stderr.contains("every user of this machine can read the key in"), "\(open)")
        let down = try await installation.run(["check-config", "--database-url", "postgresql://127.0.0.1:1/cards"])
        #expect(down.status == 78 && down.stderr.contains("the database is not available"), "\(down)")
    }
}
