import Administration
import ArgumentParser
import CardCompanion
import CardCompanionServer
import Cryptography
import DualControl
import Foundation
import KeyVault
import SecureMemory

struct OperatorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "operator", abstract: "Adds and lists operators, and switches dual control on and off.",
        subcommands: [MakeKey.self, List.self, Add.self, Remove.self, DualControl.self])

    struct MakeKey: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "make-key",
            abstract:
                "Makes your operator key. You keep the private key; the public key is for the installation.",
            discussion: """
                The private key (Ed25519) is either in a file, encrypted with a passphrase of at least \
                \(passphraseMinimum) characters, in a format that OpenSSL can read. Or it is made on a token, such as \
                your smart card, and never leaves the token.

                EXAMPLES
                  card-companion operator make-key --private-key alice.key \\
                      --public-key alice.pub
                  card-companion operator make-key --token alice \\
                      --module /usr/lib/opensc-pkcs11.so --public-key alice.pub
                """)

        static let passphraseMinimum = 12

        @Option(help: "The new file of the private key.")
        var privateKey: String?
        @Option(help: "The new file of the public key.")
        var publicKey: String
        @Option(help: "A file with the passphrase (mode 0600). Without it, a prompt asks for it.")
        var passphraseFile: String?
        @Option(help: "The label of the token on which the key is made, instead of --private-key.")
        var token: String?
        @Option(help: "The path of the token's PKCS#11 module.")
        var module: String?
        @Option(help: "A file with the token's PIN (mode 0600). Without it, a prompt asks for it.")
        var pinFile: String?
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let onToken = try OperatorToken(label: token, modulePath: module, pinFile: pinFile, prefix: "")
            guard (privateKey == nil) != (onToken == nil) else {
                throw CommandError.badInput("use either --private-key or --token")
            }
            guard !FileManager.default.fileExists(atPath: publicKey) else {
                throw CommandError.refused("\(publicKey) already exists")
            }
            let key = if let onToken { try await onToken.makeKey() } else { try makeFile(privateKey ?? "") }
            try Data(key.pem().utf8).write(to: URL(filePath: publicKey), options: .withoutOverwriting)
            let fingerprint = OperatorRoster.fingerprint(key.rawRepresentation)
            let place = privateKey ?? "the token"
            try Terminal.show(
                "made a key, fingerprint \(fingerprint): keep \(place), and give \(publicKey) to the installation",
                json: ["fingerprint": fingerprint], asJSON: output.json)
        }

        private func makeFile(_ path: String) throws -> Ed25519PublicKey {
            let passphrase = try passphrase()
            guard passphrase.bytes.count >= Self.passphraseMinimum else {
                throw CommandError.badInput("the passphrase must have at least \(Self.passphraseMinimum) characters")
            }
            let key = try Ed25519PrivateKey.generate()
            try SecretFile.write(SecretBytes(copying: try key.encryptedPEM(passphrase: passphrase.bytes)), to: path)
            return key.publicKey
        }

        private func passphrase() throws -> SharedSecret {
            if let passphraseFile { return try OperatorOptions.passphrase(inFile: passphraseFile) }
            let limit = OperatorOptions.passphraseByteLimit
            let first = try Terminal.askSecret("New passphrase: ", byteLimit: limit)
            let second = try Terminal.askSecret("Once more: ", byteLimit: limit)
            guard ConstantTime.areEqual(first, second) else {
                throw CommandError.badInput("the two passphrases are different")
            }
            return SharedSecret(first)
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "Lists the operators, and says whether dual control is on.",
            discussion: "EXAMPLE\n  card-companion operator list")

        @OptionGroup var output: OutputOptions
        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            let roster = try await Installation.run(options) { try await $0.operators() }
            let report = Report(
                dualControl: roster?.isDual ?? false,
                operators: roster?.members.map {
                    .init(name: $0.name, fingerprint: OperatorRoster.fingerprint($0.publicKey))
                } ?? [])
            let table = TextTable.text(
                ["OPERATOR", "KEY"], report.operators.map { [$0.name, $0.fingerprint] })
            try Terminal.show(
                "dual control is \(report.dualControl ? "on" : "off")\n\(table)", json: report, asJSON: output.json)
        }

        private struct Report: Encodable {
            struct Member: Encodable {
                let name: String
                let fingerprint: String
            }

            let dualControl: Bool
            let operators: [Member]
        }
    }

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add",
            abstract: "Adds an operator. Two other operators must sign the change; 'vault init' adds the first two.",
            discussion: """
                EXAMPLE
                  card-companion operator add carol --public-key carol.pub \\
                      --operator alice --operator-key alice.key
                """)

        @Argument(help: "The new operator's name.")
        var name: String
        @Option(help: "The file of their public key.")
        var publicKey: String
        @OptionGroup(title: "Operator") var signer: OperatorOptions
        @OptionGroup var output: OutputOptions
        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            let member = try OperatorKey.member(name, publicKeyFile: publicKey)
            try await AddOperator(name: member.name, publicKey: member.publicKey).run(options, signer, output)
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove",
            abstract: "Removes an operator. Two other operators must sign the change.",
            discussion: """
                The two who sign approve again everything that is active now, also what the removed operator has \
                approved. Review it first.

                EXAMPLE
                  card-companion operator remove carol --operator alice \\
                      --operator-key alice.key
                """)

        @Argument(help: "The operator's name.")
        var name: String
        @OptionGroup(title: "Operator") var signer: OperatorOptions
        @OptionGroup var output: OutputOptions
        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            try await RemoveOperator(name: name).run(options, signer, output)
        }
    }

    struct DualControl: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "dual-control",
            abstract: "Switches dual control on or off. Two operators must sign the change.",
            discussion: """
                With dual control, a key, a certificate, a webhook or a loosened setting takes effect only after a \
                second operator has approved it ('card-companion approve'). The approval that switches dual control on \
                covers everything that is active at that time.

                EXAMPLE
                  card-companion operator dual-control on --operator alice \\
                      --operator-key alice.key
                """)

        @Argument(help: "on or off.")
        var state: State
        @OptionGroup(title: "Operator") var signer: OperatorOptions
        @OptionGroup var output: OutputOptions
        @OptionGroup var options: ConfigurationOptions

        enum State: String, ExpressibleByArgument, CaseIterable {
            case on, off
        }

        func run() async throws {
            try await SetDualControl(isOn: state == .on).run(options, signer, output)
        }
    }
}

/// Public keys of operators.
enum OperatorKey {
    private static let fileByteLimit = 16_384

    static func member(_ name: String, publicKeyFile path: String) throws -> OperatorRoster.Member {
        let pem = try InputFile.read(path, byteLimit: fileByteLimit)
        guard let key = try? Ed25519PublicKey(pem: pem) else {
            throw CommandError.badInput("\(path) must contain an Ed25519 public key in PEM: see 'operator make-key'")
        }
        return try OperatorRoster.Member(name: name, publicKey: key.rawRepresentation)
    }
}
