package import CryptoExtras
internal import Foundation

/// The private key with which a bank opens defined PINs.
package struct TestEncryptionKey: Sendable {
    private let pem: String

    init(pem: String) {
        self.pem = pem
    }

    /// The private key of the encryption certificate.
    package var privateKey: _RSA.Encryption.PrivateKey {
        get throws { try _RSA.Encryption.PrivateKey(pemRepresentation: pem) }
    }
}

extension TestInstallation {
    /// Adds a self-signed encryption certificate to a bank; returns its private key.
    ///
    /// - Parameter use: `encryption` or `identity`.
    @discardableResult
    package func importEncryptionCertificate(
        into bank: TestBank, alias: String = Unique.name("encryption"), use: String = "encryption"
    ) async throws -> TestEncryptionKey {
        let file = TestFolder.shared.unused("encryption.pem")
        try await TestCommand.run(
            "openssl",
            [
                "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "90", "-subj", "/CN=\(alias)", "-addext",
                "keyUsage=critical,keyEncipherment", "-addext", "basicConstraints=critical,CA:FALSE", "-keyout",
                "\(file).key", "-out", file,
            ]
        ).succeeded()
        try await run([
            "certificate", "import", "--bank", bank.id, "--alias", alias, "--use", use, "--ca", file, file,
        ]).succeeded()
        return TestEncryptionKey(pem: try String(contentsOfFile: "\(file).key", encoding: .utf8))
    }
}
