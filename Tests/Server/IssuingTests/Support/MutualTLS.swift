import ServerHarness
import Testing

/// A server that requests client certificates, with `curl` as its client.
struct MutualTLS: Sendable {
    /// The shared instance of this test process.
    static let shared = Once { try await MutualTLS() }

    /// The result of a `curl` call.
    struct Answer: Sendable {
        /// The exit status of `curl`: 0 if there was a response.
        let exitStatus: Int
        let status: Int
        let members: [String: JSON]
    }

    let server: TestServer
    /// The PEM file of a certificate that is not signed by the server's client CA.
    let stranger: String
    private let certificate: String

    private init() async throws {
        let authority = try await TestAuthority.shared.value
        certificate = try await Self.selfSigned("/CN=localhost", ["-addext", "subjectAltName=IP:127.0.0.1"])
        stranger = try await Self.selfSigned("/CN=Stranger", [])
        server = try await Service.shared.value.installation.startServer(
            ["--http-tls-client-ca", authority.certificateFile],
            environment: [
                "HTTP_TLS_CERTIFICATE": certificate, "HTTP_TLS_KEY": Self.key(of: certificate),
                "HTTP_IDLE_TIMEOUT_SECONDS": "600",
            ])
    }

    /// Sends a call.
    ///
    /// - Parameters:
    ///   - issuer: signs the call; nil sends it unsigned.
    ///   - client: the PEM file of the client certificate, with the key file next to it; nil sends none.
    ///   - version: the option of `curl` for the version of HTTP.
    func call(
        _ call: IssuerCall, by issuer: TestIssuer?, showing client: String?, version: String = "--http2"
    ) async throws -> Answer {
        let fields = try issuer.map { try call.signedFields($0, for: server) } ?? []
        let headers = fields.flatMap { ["-H", "\($0.name): \($0.value)"] }
        let shown = client.map { ["--cert", $0, "--key", Self.key(of: $0)] } ?? []
        let result = try await TestCommand.run(
            "curl",
            ["--silent", version, "--cacert", certificate, "--request", call.method, "--write-out", "\n%{http_code}"]
                + shown
                + headers + [server.url + call.path])
        let lines = result.stdout.split(separator: "\n", omittingEmptySubsequences: false)
        return Answer(
            exitStatus: result.status, status: lines.last.flatMap { Int($0) } ?? 0,
            members: (try? JSON(parsing: String(lines.first ?? "")))?.object ?? [:])
    }

    private static func key(of certificate: String) -> String { certificate.replacing(".pem", with: ".key") }

    private static func selfSigned(_ subject: String, _ options: [String]) async throws -> String {
        let path = TestFolder.shared.unused("tls")
        try await TestCommand.run(
            "openssl",
            ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "90", "-subj", subject] + options
                + ["-keyout", "\(path).key", "-out", "\(path).pem"]
        ).succeeded()
        return "\(path).pem"
    }
}
