internal import CryptoExtras
internal import Foundation

/// A CA of the tests' own, made with the `openssl` program, and what it has signed.
public struct TestAuthority: Sendable {
    /// A key that tokens are signed with, and its certificate.
    public struct Signer: Sendable {
        /// The PEM file of the certificate.
        public let certificateFile: String
        let key: _RSA.Signing.PrivateKey
    }

    /// The CA of this process.
    public static let shared = Once { try await TestAuthority() }

    /// The PEM file of the CA's certificate.
    public let certificateFile: String

    /// The signer that banks have unless a test wants another.
    public let signer: Signer

    /// Another one, whose certificate is as good.
    public let otherSigner: Signer

    private init() async throws {
        let folder = TestFolder.shared.unused("authority")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        certificateFile = "\(folder)/ca.pem"
        try await Self.openssl([
            "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=Test CA",
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
            "-CAcreateserial", "-days", "2", "-extfile", "\(path).ext", "-out", "\(path).pem",
        ])
        let pem = try String(contentsOfFile: "\(path).key", encoding: .utf8)
        return Signer(certificateFile: "\(path).pem", key: try _RSA.Signing.PrivateKey(pemRepresentation: pem))
    }

    private static func openssl(_ arguments: [String]) async throws {
        try await TestCommand.run("openssl", arguments).succeeded()
    }
}
