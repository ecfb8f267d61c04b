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

    private init() async throws {
        let folder = TestFolder.shared.unused("authority")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        certificateFile = "\(folder)/ca.pem"
        try await Self.openssl([
            "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "90", "-subj", "/CN=Test CA",
            "-addext", "keyUsage=critical,keyCertSign", "-keyout", "\(folder)/ca.key", "-out", certificateFile,
        ])
        signer = try await Self.makeSigner("one", in: folder)
        otherSigner = try await Self.makeSigner("two", in: folder)
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
