internal import CryptoExtras
internal import Foundation

/// A test CA, made with the `openssl` program, and the certificates that it has signed.
package struct TestAuthority: Sendable {
    /// A key that signs tokens, and its certificate.
    package struct Signer: Sendable {
        /// The path of the certificate's PEM file.
        package let certificateFile: String
        let key: _RSA.Signing.PrivateKey

        /// The certificate in DER.
        package func certificateDER() throws -> [UInt8] {
            let pem = try String(contentsOfFile: certificateFile, encoding: .utf8)
            let lines = pem.split(separator: "\n").drop { !$0.hasPrefix("-----BEGIN") }.dropFirst()
                .prefix { !$0.hasPrefix("-----END") }
            return Array(Data(base64Encoded: lines.joined()) ?? Data())
        }
    }

    /// The CA of this test process.
    package static let shared = Once { try await TestAuthority() }

    /// The path of the PEM file of the CA certificate.
    package let certificateFile: String

    /// The default signer of test banks.
    package let signer: Signer

    /// A second signer, whose certificate is equally valid.
    package let otherSigner: Signer

    /// The name of the CA (RFC 2253).
    package static let name = "CN=Test CA"

    private let folder: String

    /// A CA of the same name, with another key.
    package init() async throws {
        folder = TestFolder.shared.unused("authority")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        certificateFile = "\(folder)/ca.pem"
        try await Self.openssl([
            "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "90", "-subj", "/CN=Test CA",
            "-addext", "keyUsage=critical,keyCertSign,cRLSign", "-keyout", "\(folder)/ca.key", "-out", certificateFile,
        ])
        signer = try await Self.makeSigner("one", in: folder)
        otherSigner = try await Self.makeSigner("two", in: folder)
    }

    /// Makes a CRL with the `openssl` program.
    ///
    /// - Parameters:
    ///   - revoked: whose certificates it lists.
    ///   - madeAgoSeconds: how long ago it was made.
    ///   - lifetimeSeconds: how long after that it expires.
    ///   - number: the CRL number; nil for none.
    ///   - now: the time from which it counts, in Unix seconds; nil for the present.
    /// - Returns: the path of its PEM file.
    package func revocationList(
        of revoked: [Signer], madeAgoSeconds: Int = 60, lifetimeSeconds: Int = 7 * 86_400,
        number: Int? = nil, now: Int? = nil
    ) async throws -> String {
        let now = now.map { Date(timeIntervalSince1970: Double($0)) } ?? Date()
        func time(_ awaySeconds: Int) -> String {
            let format = Date.ISO8601FormatStyle().year().month().day().dateSeparator(.omitted)
                .time(includingFractionalSeconds: false).timeSeparator(.omitted)
            let text = now.addingTimeInterval(Double(awaySeconds)).formatted(format)
            return text.replacing("T", with: "").replacing("Z", with: "") + "Z"
        }
        let path = TestFolder.shared.unused("crl")
        var index = ""
        for signer in revoked {
            let shown = try await TestCommand.run(
                "openssl", ["x509", "-in", signer.certificateFile, "-noout", "-serial"])
            let serial = try shown.succeeded().stdout.split(separator: "=").last?.filter(\.isHexDigit) ?? ""
            index += "R\t\(time(86_400).dropFirst(2))\t\(time(-3600).dropFirst(2))\t\(serial)\tunknown\t/CN=revoked\n"
        }
        try index.write(toFile: "\(path).index", atomically: false, encoding: .utf8)
        var configuration = "[ca]\ndefault_ca = here\n[here]\ndatabase = \(path).index\ndefault_md = sha256\n"
        if let number {
            try String(format: "%04X\n", number).write(toFile: "\(path).number", atomically: false, encoding: .utf8)
            configuration += "crlnumber = \(path).number\n"
        }
        try configuration.write(toFile: "\(path).cnf", atomically: false, encoding: .utf8)
        try await Self.openssl([
            "ca", "-gencrl", "-config", "\(path).cnf", "-keyfile", "\(folder)/ca.key", "-cert", certificateFile,
            "-crl_lastupdate", time(-madeAgoSeconds), "-crl_nextupdate", time(lifetimeSeconds - madeAgoSeconds), "-out",
            "\(path).crl",
        ])
        return "\(path).crl"
    }

    private static func makeSigner(_ name: String, in folder: String) async throws -> Signer {
        let path = "\(folder)/\(name)"
        try await openssl([
            "req", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=Signer \(name)", "-keyout", "\(path).key",
            "-out", "\(path).csr",
        ])
        try "keyUsage=critical,digitalSignature\nbasicConstraints=CA:FALSE\n"
            .write(toFile: "\(path).ext", atomically: false, encoding: .utf8)
        try await openssl([
            "x509", "-req", "-in", "\(path).csr", "-CA", "\(folder)/ca.pem", "-CAkey", "\(folder)/ca.key",
            "-CAcreateserial", "-days", "90", "-extfile", "\(path).ext", "-out", "\(path).pem",
        ])
        let pem = try String(contentsOfFile: "\(path).key", encoding: .utf8)
        return Signer(certificateFile: "\(path).pem", key: try _RSA.Signing.PrivateKey(pemRepresentation: pem))
    }

    private static func openssl(_ arguments: [String]) async throws {
        try await TestCommand.run("openssl", arguments).succeeded()
    }
}
