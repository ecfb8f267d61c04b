internal import CardCompanionModel
package import Crypto
internal import CryptoExtras
internal import Foundation

/// A bank from its back-end's point of view: it has the HMAC key and the private signing key.
package struct TestBank: Sendable {
    package let id: String
    package static let hmacLabel = "first"
    package static let certificateAlias = "first"
    package let hmacKey: SymmetricKey
    /// Signs its tokens.
    package let signer: TestAuthority.Signer

    /// The back-end of a bank that already exists.
    package init(id: String, hmacKey: SymmetricKey, signer: TestAuthority.Signer) {
        self.id = id
        self.hmacKey = hmacKey
        self.signer = signer
    }

    var hmacKeyBytes: [UInt8] { hmacKey.withUnsafeBytes { Array($0) } }

    /// The current time plus `awaySeconds`, in Unix seconds.
    package static func timestamp(_ awaySeconds: Int = 0) -> Int {
        Int(Date().timeIntervalSince1970) + awaySeconds
    }

    /// The hashMac of a request, in lower-case hex.
    ///
    /// - Parameter binding: the digest that it is bound to; nil: it is not bound.
    package func hashMac(uniqueId: String, timestamp: String, binding: String? = nil) -> String {
        let text = id + uniqueId + timestamp + (binding.map { ".\($0)." } ?? "")
        return Hex.encode(HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: hmacKey))
    }

    package func token(for cardholder: TestCardholder, type: String = "00") -> TestToken {
        TestToken(members: [
            "IdBEL": .string(id), "IdFournisseur": "test", "IdPorteur": .string(cardholder.uniqueId),
            "IdTransaction": .string(UUID().uuidString), "Timestamp": .string("\(Self.timestamp())"),
            "Type": .string(type), "AuthenticationCode": cardholder.code.map { .string($0) } ?? .null,
        ])
    }
}

/// An authentication token, as a bank's back-end makes it.
package struct TestToken: Sendable {
    package var members: [String: JSON]

    package init(members: [String: JSON]) {
        self.members = members
    }

    /// The text that is signed and sent.
    package var text: String { JSON.object(members).text }

    /// A copy with changed members; nil removes a member.
    package func with(_ changes: [String: JSON?]) -> TestToken {
        var copy = self
        for (name, value) in changes { copy.members[name] = value }
        return copy
    }
}

extension TestAuthority.Signer {
    /// The signature of a text: RSASSA-PKCS1-v1_5 with SHA-256, in base64.
    package func signature(of text: String) throws -> String {
        try key.signature(for: Data(text.utf8), padding: .insecurePKCS1v1_5).rawRepresentation.base64EncodedString()
    }

    /// A signature of the wrong kind: RSASSA-PSS with SHA-256.
    package func pssSignature(of text: String) throws -> String {
        try key.signature(for: Data(text.utf8), padding: .PSS).rawRepresentation.base64EncodedString()
    }
}

extension TestInstallation {
    /// Makes a bank with an HMAC key and a default certificate.
    ///
    /// - Parameters:
    ///   - settings: options of `bank add`, for example `["--retention", "keep"]`.
    ///   - scheme: CB or PCI-CPP.
    ///   - byCommands: whether the commands make it.
    package func makeBank(
        _ settings: [String] = [], scheme: String = "PCI-CPP", id: String = Unique.name("bank"),
        byCommands: Bool = false
    ) async throws -> TestBank {
        let authority = try await TestAuthority.shared.value
        let bank = TestBank(id: id, hmacKey: SymmetricKey(size: .bits256), signer: authority.signer)
        // Most tests do not look at events.
        let options = (settings.contains("--defined-pins") ? [] : ["--defined-pins", "keep"]) + settings
        if !byCommands, let settings = BankSettings(options: options, id: id, scheme: scheme),
            try await makes(bank, settings)
        {
            return bank
        }
        try await run(["bank", "add", id, "--scheme", scheme] + options).succeeded()
        try await importHMACKey(bank.hmacKey, label: TestBank.hmacLabel, into: bank)
        try await importCertificate(bank.signer, alias: TestBank.certificateAlias, isDefault: true, into: bank)
        return bank
    }

    private func makes(_ bank: TestBank, _ settings: BankSettings) async throws -> Bool {
        let certificates = try await Self.certificates(of: bank.signer)
        return try await makes(for: bank.id) { setup, id in
            try await setup.addBank(id, settings)
            try await setup.addHMACKey(bank.hmacKeyBytes, label: TestBank.hmacLabel, usage: .both, to: id)
            try await setup.addCertificate(
                pem: certificates.own, trustedCAs: certificates.ca, alias: TestBank.certificateAlias, isDefault: true,
                to: id)
        }
    }

    private static func certificates(of signer: TestAuthority.Signer) async throws -> (own: [UInt8], ca: [UInt8]) {
        let authority = try await TestAuthority.shared.value
        return (
            Array(try Data(contentsOf: URL(filePath: signer.certificateFile))),
            Array(try Data(contentsOf: URL(filePath: authority.certificateFile)))
        )
    }

    /// Adds an HMAC key to a bank.
    package func importHMACKey(
        _ key: SymmetricKey, label: String, usage: String = "both", into bank: TestBank
    ) async throws {
        let file = try TestFolder.shared.write(Hex.encode(key.withUnsafeBytes { Array($0) }), named: "hmac")
        try await run([
            "key", "import-hmac", "--bank", bank.id, "--label", label, "--usage", usage, "--hex-file", file,
        ]).succeeded()
    }

    /// Adds a certificate to a bank.
    package func importCertificate(
        _ signer: TestAuthority.Signer, alias: String, isDefault: Bool, into bank: TestBank
    ) async throws {
        let authority = try await TestAuthority.shared.value
        let command = ["certificate", "import", "--bank", bank.id, "--alias", alias, "--ca", authority.certificateFile]
        try await run(command + (isDefault ? ["--default"] : []) + [signer.certificateFile]).succeeded()
    }

    /// Imports cardholders, with PINs and codes sealed to the EC key that the server publishes.
    package func provision(
        _ cardholders: [TestCardholder], of bank: TestBank, through server: TestServer
    ) async throws {
        let key = try await server.sealingKey()
        let lines = try cardholders.map { try $0.line(sealedTo: key, of: bank.id) }.joined(separator: "\n")
        if try await makes(for: bank.id, { try await $0.importCardholders(lines, to: $1) }) { return }
        try await run(["cardholder", "import", "--bank", bank.id, "-"], stdin: lines).succeeded()
    }
}
