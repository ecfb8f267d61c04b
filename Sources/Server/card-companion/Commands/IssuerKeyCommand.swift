import Administration
import ArgumentParser
import CardCompanion
import CardCompanionModel
import CardCompanionServer
import CardCompanionStore
import Cryptography
import DualControl
import HTTPSignatures
import SecureMemory

struct IssuerKeyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "issuer-key",
        abstract: "Registers and lists the keys that banks' back-ends sign their calls with (RFC 9421).",
        subcommands: [
            Add.self, ListItems<IssuerKeys>.self, DisableItem<IssuerKeys>.self, EnableItem<IssuerKeys>.self,
        ])

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add",
            abstract:
                "Registers a key. A bank can have several active keys, so that it can change from one to the next.",
            discussion: """
                EXAMPLES
                  card-companion issuer-key add --bank MYBANK --key-id mybank-2027 \\
                      --algorithm ed25519 --public-key k.pem
                  card-companion issuer-key add --bank MYBANK --key-id mybank-hmac \\
                      --algorithm hmac-sha256 --hex-file secret.hex
                """)

        @Option(help: "The bank's id.")
        var bank: Identifier
        @Option(help: "The key's name: keyid. Two banks cannot have keys with the same name.")
        var keyId: String
        @Option(help: "ecdsa-p256-sha256, ed25519, rsa-pss-sha512, rsa-v1_5-sha256 or hmac-sha256.")
        var algorithm: SignatureAlgorithm
        @Option(help: "PEM file of the public key.")
        var publicKey: String?
        @Option(help: "For hmac-sha256: a file that contains the secret in hex.")
        var hexFile: String?
        @OptionGroup(title: "Operator") var signer: OperatorOptions
        @OptionGroup var output: OutputOptions
        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            let material = try material()
            let shown = try await Installation.run(options) { [bank, keyId, algorithm, signer] installation in
                _ = try await installation.bank(bank)
                let now = installation.clock.now()
                let record: IssuerKeyRecord =
                    switch material {
                    case .pem(let pem):
                        try IssuerKeyRegistration.publicKey(
                            pem: pem, algorithm: algorithm, keyId: keyId, bankId: bank, now: now)
                    case .secret(let secret):
                        try await installation.withKeyring { keyring in
                            try IssuerKeyRegistration.secret(
                                secret.bytes, keyId: keyId, bankId: bank, keyring: keyring, now: now)
                        }
                    }
                return try await installation.make(AddIssuerKey(record), signing: signer)
            }
            try shown.show(output)
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
            default:
                throw CommandError.badInput(
                    "hmac-sha256 needs --hex-file, and every other --algorithm needs --public-key")
            }
        }
    }
}

/// A bank's keys for signed calls, for `list`, `enable` and `disable`.
extension IssuerKeys: ListedItems {
    struct Report: Encodable {
        let keyId: String
        let algorithm: String
        let status: String
    }

    static let afterDisabling = "calls signed with it are refused from now on."
    static let columns = ["KEY", "ALGORITHM", "STATUS", "REGISTERED"]

    static func list(_ bankId: Identifier, in store: Store) async throws -> [(row: [String], report: Report)] {
        try await store.issuerKeys(bankId: bankId).map {
            (
                [$0.keyId, $0.algorithm, $0.status.rawValue, $0.createdAt.text],
                Report(keyId: $0.keyId, algorithm: $0.algorithm, status: $0.status.rawValue)
            )
        }
    }
}
