import ArgumentParser
import CardCompanion
import CardCompanionStore
import HTTPSignatures
import KeyVault
import SecureMemory

/// `card-companion issuer-key`.
struct IssuerKeyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "issuer-key", abstract: "The keys that banks' back-ends sign their calls with (RFC 9421).",
        subcommands: [Add.self, List.self, Disable.self, Enable.self])

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Registers a key; several of a bank may serve at once, so that it can change from one to the next.",
            discussion: """
                EXAMPLES
                  card-companion issuer-key add --bank MYBANK --key-id mybank-2027 --algorithm ed25519 --public-key k.pem
                  card-companion issuer-key add --bank MYBANK --key-id mybank-hmac --algorithm hmac-sha256 \\
                    --hex-file secret.hex
                """)

        @Option(help: "The bank's id.")
        var bank: String
        @Option(help: "The key's name: keyid. No two banks have keys of one name.")
        var keyId: String
        @Option(help: "ecdsa-p256-sha256, ed25519, rsa-pss-sha512, rsa-v1_5-sha256 or hmac-sha256.")
        var algorithm: SignatureAlgorithm
        @Option(help: "PEM file of the public key.")
        var publicKey: String?
        @Option(help: "For hmac-sha256: a file that holds the secret in hex.")
        var hexFile: String?
        @OptionGroup var output: OutputOptions
        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            let material = try material()
            try await Installation.run(options) { [bank, keyId, algorithm] installation in
                _ = try await installation.bank(bank)
                let now = installation.clock.now()
                let record: IssuerKeyRecord =
                    switch material {
                    case .pem(let pem):
                        try IssuerKeyRegistration.publicKey(
                            pem: pem, algorithm: algorithm, keyId: keyId, bankId: bank, now: now)
                    case .secret(let secret):
                        try IssuerKeyRegistration.secret(
                            secret.bytes, keyId: keyId, bankId: bank, keyring: try await installation.keyring(),
                            now: now)
                    }
                guard try await installation.store.insertIssuerKey(record) else {
                    throw CommandError.refused("there is a key '\(keyId)' already")
                }
            }
            try Terminal.show(
                "registered key '\(keyId)' of bank '\(bank)'", json: ["bank": bank, "keyId": keyId],
                asJSON: output.json)
        }

        private enum Material: Sendable {
            case pem([UInt8])
            case secret(SharedSecret)
        }

        private func material() throws -> Material {
            switch (publicKey, hexFile) {
            case (let file?, nil) where algorithm != .hmacSHA256:
                return .pem(try InputFile.read(file, byteLimit: InputFile.certificateByteLimit))
            case (nil, let file?) where algorithm == .hmacSHA256:
                return .secret(SharedSecret(try InputFile.readHex(file)))
            default: throw CommandError.badInput("give --hex-file for hmac-sha256, else --public-key")
            }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists a bank's keys.", discussion: "EXAMPLE\n  card-companion issuer-key list --bank MYBANK")

        @Option(help: "The bank's id.")
        var bank: String
        @OptionGroup var output: OutputOptions
        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            let keys = try await Installation.run(options) { [bank] installation in
                _ = try await installation.bank(bank)
                return try await installation.store.issuerKeys(bankId: bank)
            }
            let rows = keys.map { [$0.keyId, $0.algorithm, $0.status.rawValue, $0.createdAt.text] }
            try Terminal.show(
                Terminal.table(["KEY", "ALGORITHM", "STATUS", "REGISTERED"], rows),
                json: keys.map { ["keyId": $0.keyId, "algorithm": $0.algorithm, "status": $0.status.rawValue] },
                asJSON: output.json)
        }
    }

    struct Disable: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Switches a key off.",
            discussion: "EXAMPLE\n  card-companion issuer-key disable --bank MYBANK mybank-2026")

        @OptionGroup var key: KeyArguments

        func run() async throws { try await key.set(.disabled) }
    }

    struct Enable: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Switches a key on again.",
            discussion: "EXAMPLE\n  card-companion issuer-key enable --bank MYBANK mybank-2026")

        @OptionGroup var key: KeyArguments

        func run() async throws { try await key.set(.active) }
    }

    struct KeyArguments: ParsableArguments {
        @Option(help: "The bank's id.")
        var bank: String
        @Argument(help: "The key's name.")
        var keyId: String
        @OptionGroup var output: OutputOptions
        @OptionGroup var options: ConfigurationOptions

        func set(_ status: Activity) async throws {
            try await Installation.run(options) { [bank, keyId] installation in
                let isSet = try await installation.store.setIssuerKey(bankId: bank, keyId: keyId, status: status)
                guard isSet else { throw CommandError.notFound("bank '\(bank)' has no key '\(keyId)'") }
            }
            try Terminal.show(
                "key '\(keyId)' of bank '\(bank)' is \(status.rawValue)",
                json: ["keyId": keyId, "status": status.rawValue], asJSON: output.json)
        }
    }
}
