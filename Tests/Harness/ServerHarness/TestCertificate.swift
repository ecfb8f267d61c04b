internal import Foundation

/// A self-signed certificate for 127.0.0.1, in files.
package struct TestCertificate: Sendable {
    package let certificate: String
    package let key: String

    /// - Parameters:
    ///   - commonName: tells certificates apart.
    ///   - days: how long it is valid.
    package init(_ commonName: String = "localhost", days: Int = 90) async throws {
        self.init(files: ())
        try await TestCommand.run(
            "openssl",
            ["req", "-x509", "-days", "\(days)", "-out", certificate] + Self.newKey(commonName, key)
        ).succeeded()
    }

    /// A certificate that has expired.
    package static func expired() async throws -> TestCertificate { try await made(until: "20250201000000Z") }

    /// A certificate that was made long ago, and ends in some days.
    package static func ending(days: Int) async throws -> TestCertificate {
        let end = Date(timeIntervalSinceNow: TimeInterval(days * 86_400))
        let digits = end.formatted(.iso8601).filter(\.isNumber)
        return try await made(until: "\(digits)Z")
    }

    private static func made(until end: String) async throws -> TestCertificate {
        let made = TestCertificate(files: ())
        let folder = TestFolder.shared.unused("ca")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let configuration = """
            [ca]
            default_ca = any
            [any]
            database = \(folder)/index
            new_certs_dir = \(folder)
            policy = policy
            rand_serial = yes
            [policy]
            commonName = supplied
            """
        try configuration.write(toFile: "\(folder)/ca.cnf", atomically: true, encoding: .utf8)
        try "".write(toFile: "\(folder)/index", atomically: true, encoding: .utf8)
        try await TestCommand.run(
            "openssl", ["req", "-new", "-out", "\(folder)/request"] + newKey("localhost", made.key)
        ).succeeded()
        try await TestCommand.run(
            "openssl",
            [
                "ca", "-batch", "-selfsign", "-notext", "-md", "sha256", "-config", "\(folder)/ca.cnf", "-keyfile",
                made.key, "-in", "\(folder)/request", "-out", made.certificate, "-startdate", "20250101000000Z",
                "-enddate", end,
            ]
        ).succeeded()
        return made
    }

    private init(files: Void) {
        certificate = TestFolder.shared.unused("tls.pem")
        key = TestFolder.shared.unused("tls.key")
    }

    private static func newKey(_ commonName: String, _ path: String) -> [String] {
        [
            "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=\(commonName)", "-addext",
            "subjectAltName=IP:127.0.0.1", "-keyout", path,
        ]
    }

    package var environment: [String: String] { ["HTTP_TLS_CERTIFICATE": certificate, "HTTP_TLS_KEY": key] }

    /// Writes this certificate and its key to the files of another one, the key first.
    package func replace(_ other: TestCertificate) throws {
        for (new, old) in [(key, other.key), (certificate, other.certificate)] {
            try Data(contentsOf: URL(filePath: new)).write(to: URL(filePath: old), options: .atomic)
        }
    }
}
