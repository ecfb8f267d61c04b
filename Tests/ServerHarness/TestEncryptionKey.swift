public import CryptoExtras
internal import Foundation

/// What a bank opens defined PINs with.
public struct TestEncryptionKey: Sendable {
    private let pem: String

    init(pem: String) {
        self.pem = pem
    }

    /// The private key of its certificate.
    public var privateKey: _RSA.Encryption.PrivateKey {
        get throws { try _RSA.Encryption.PrivateKey(pemRepresentation: pem) }
    }
}

extension TestInstallation {
    /// Gives a bank an encryption certificate, which is its own CA; returns its private key.
    @discardableResult
    public func importEncryptionCertificate(
        into bank: TestBank, alias: String = Unique.name("encryption")
    ) async throws -> TestEncryptionKey {
        let file = TestFolder.shared.unused("encryption.pem")
        try await TestCommand.run(
            "openssl",
            [
                "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=\(alias)", "-addext",
                "keyUsage=critical,keyEncipherment", "-addext", "basicConstraints=critical,CA:FALSE", "-keyout",
                "\(file).key", "-out", file,
            ]
        ).succeeded()
        try await run([
            "certificate", "import", "--bank", bank.id, "--alias", alias, "--use", "encryption", "--ca", file, file,
        ]).succeeded()
        return TestEncryptionKey(pem: try String(contentsOfFile: "\(file).key", encoding: .utf8))
    }
}
