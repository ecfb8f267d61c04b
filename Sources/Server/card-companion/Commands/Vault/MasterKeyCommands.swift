import Administration
import ArgumentParser
import CardCompanion
import CardCompanionServer
import DualControl
import Foundation
import KeyVault
import PKCS11
import SecureMemory

extension VaultCommand {
    struct Initialize: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "init",
            abstract:
                "Makes the master key in the vault of the settings, and a recovery key in case the master key is lost.",
            discussion: """
                On a token, the master key is made by the token and never leaves it. The recovery key is split into \
                components, one for each custodian: each file is written with mode 0600, and must then go to a \
                custodian, away from the server and from the other files. All components together open everything; \
                fewer open nothing. What already exists stays as it is, so the command can be repeated.

                It can also name the first operators, who then add others. Their public keys are kept in the vault, so \
                someone who can only write to the database cannot change them. With --dual-control, later changes need \
                two operators.

                EXAMPLES
                  card-companion vault init --recovery-component-file /media/a/one \\
                      --recovery-component-file /media/b/two
                  VAULT_MODULE=/usr/lib/softhsm/libsofthsm2.so VAULT_TOKEN=cards \\
                      card-companion vault init
                  card-companion vault init --first-operator alice=alice.pub \\
                      --first-operator bob=bob.pub --dual-control
                """)

        @Option(
            name: .customLong("recovery-component-file"),
            help: "A new file for a component of the recovery key. Use this option 2 to 5 times.")
        var componentFiles: [String] = []
        @Flag(help: "Replace the present recovery key with a new one. The old components then open nothing.")
        var replaceRecoveryKey = false
        @Option(
            help:
                "NAME=FILE: one of the first operators, and the file of their public key. Use this option at least twice."
        )
        var firstOperator: [String] = []
        @Flag(help: "Switch dual control on. It needs --first-operator.")
        var dualControl = false
        @OptionGroup(title: "Operator") var signer: OperatorOptions
        @OptionGroup var output: OutputOptions
        @OptionGroup var options: ConfigurationOptions

        func validate() throws {
            guard !replaceRecoveryKey || !componentFiles.isEmpty else {
                throw ValidationError("--replace-recovery-key needs --recovery-component-file for each new component.")
            }
            guard componentFiles.isEmpty || RecoveryComponent.counts ~= componentFiles.count else {
                throw ValidationError("--recovery-component-file must be given 2 to 5 times.")
            }
            guard Set(componentFiles).count == componentFiles.count else {
                throw ValidationError("Each --recovery-component-file must name a different file.")
            }
            guard firstOperator.isEmpty || firstOperator.count >= OperatorRoster.memberMinimum else {
                throw ValidationError("--first-operator must be given at least twice.")
            }
            guard !dualControl || !firstOperator.isEmpty else {
                throw ValidationError("--dual-control needs --first-operator.")
            }
        }

        func run() async throws {
            let members = try firstOperator.map(Self.member)
            let change = MakeRecoveryKey(componentFiles: componentFiles, replacesOld: replaceRecoveryKey)
            let shown = try await Installation.run(options) { [signer, dualControl] installation in
                guard !members.isEmpty else { return try await installation.make(change, signing: signer) }
                // The first operators are there before there is anything to approve.
                try await installation.makeFirstOperators(members, isDual: dualControl)
                let names = members.map(\.name).joined(separator: ", ")
                installation.note("operators: \(names)\(dualControl ? "; dual control is on" : "")")
                return try await installation.make(change)
            }
            try shown.show(output)
        }

        private static func member(_ text: String) throws -> OperatorRoster.Member {
            let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2 else {
                throw CommandError.badInput("--first-operator must be NAME=FILE (was '\(text)')")
            }
            return try OperatorKey.member(parts[0], publicKeyFile: parts[1])
        }
    }

    struct Unseal: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "unseal",
            abstract: "Gives a running server on this machine the PIN of its token.",
            discussion: """
                A server that starts without a PIN, or whose PIN the token has refused, answers 503 until it gets the \
                PIN. Run the command as the server's user or as root.

                EXAMPLE
                  card-companion vault unseal
                """)

        @Option(help: "The file of the PIN (mode 0600). Without it, a prompt asks for the PIN.")
        var pinFile: String?
        @Flag(help: "Try the PIN even if one more wrong PIN locks the token's PIN.")
        var lastTry = false
        @OptionGroup var output: OutputOptions
        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            let settings = try await ServerSettings.read(options)
            let pin =
                try pinFile.map { try PINFile.read($0) }
                ?? SharedSecret(try Terminal.askSecret("PIN: ", byteLimit: PINFile.byteLimit))
            guard pin.bytes.count > 0 else { throw CommandError.badInput("the PIN is empty") }
            let server = try UnixSocket.connected(to: settings.vault.socket)
            var call = SecretBuffer()
            call.append(byte: lastTry ? UnsealSocket.acceptsLastTry : 0)
            call.append(pin.bytes)
            server.send(call.finish())
            let answer = await server.receive(byteLimit: UnsealSocket.answerByteLimit, within: UnixSocket.messageLimit)
            guard let answer else { throw CommandError.unavailable("the server did not answer") }
            let text = answer.bytes.withBytes { String(decoding: $0, as: UTF8.self) }
            guard text == UnsealSocket.opened else {
                throw CommandError.refused("the vault could not be opened: \(text)")
            }
            try Terminal.show("the vault is open", json: ["vault": "open"], asJSON: output.json)
        }
    }

    struct Rewrap: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rewrap",
            abstract:
                "Wraps the data keys with the master key of the vault in the settings, as a replacement or as a second one.",
            discussion: """
                The options say where the present master key is. After the command, restart each server with the new \
                settings, one after the other. When all use the new master key, they remove the old wrappings. With \
                --keep the old master key stays in use, and the new one is a spare in case the old one is lost. If the \
                command is interrupted, run it again.

                EXAMPLES
                  VAULT_MODULE=/usr/lib/softhsm/libsofthsm2.so VAULT_TOKEN=cards \\
                      card-companion vault rewrap --from-file /var/lib/card-companion/vault.key
                  VAULT_MODULE=/usr/lib/softhsm/libsofthsm2.so VAULT_TOKEN=second \\
                      card-companion vault rewrap --from-token cards --keep \\
                      --from-module /usr/lib/softhsm/libsofthsm2.so
                """)

        @Option(help: "The file of the present master key.")
        var fromFile: String?
        @Option(help: "The PKCS#11 module of the token with the present master key.")
        var fromModule: String?
        @Option(help: "The label of that token.")
        var fromToken: String?
        @Option(help: "The file of that token's PIN. Without it, a prompt asks for it.")
        var fromPinFile: String?
        @Flag(help: "Keep the old master key in use.")
        var keep = false
        @OptionGroup(title: "Operator") var signer: OperatorOptions
        @OptionGroup var output: OutputOptions
        @OptionGroup var options: ConfigurationOptions

        func validate() throws {
            guard (fromFile != nil) != (fromModule != nil), (fromModule != nil) == (fromToken != nil) else {
                throw ValidationError("Name the present vault: --from-file, or --from-module and --from-token.")
            }
        }

        func run() async throws {
            try await RewrapDataKeys(
                file: fromFile, module: fromModule, token: fromToken, pinFile: fromPinFile, keepsOld: keep
            ).run(options, signer, output)
        }
    }

    struct RotateMasterKey: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rotate",
            abstract: "Makes a new master key on the token, and wraps the data keys with it.",
            discussion: """
                Running servers change to it within \(KeyRefresh.intervalSeconds) seconds. When all have changed, they \
                remove the old wrappings; 'vault status' shows this. The old key stays on the token until you remove \
                it there. If the command is interrupted, run it again.

                EXAMPLE
                  card-companion vault rotate
                """)

        @OptionGroup(title: "Operator") var signer: OperatorOptions
        @OptionGroup var output: OutputOptions
        @OptionGroup var options: ConfigurationOptions

        func run() async throws { try await DualControl.RotateMasterKey().run(options, signer, output) }
    }

    struct Recover: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "recover",
            abstract: "Opens the data keys with the recovery key, and wraps them with the vault of the settings.",
            discussion: """
                Use this if the master key is lost. The settings must name a new vault: another token, or a new file. \
                If the vault has no master key, the command makes one. Then start the servers with these settings.

                EXAMPLE
                  card-companion vault recover --component-file /media/a/one \\
                      --component-file /media/b/two
                """)

        @Option(
            name: .customLong("component-file"),
            help: "The file of a component of the recovery key. Use this option once for each component.")
        var componentFiles: [String]
        @OptionGroup(title: "Operator") var signer: OperatorOptions
        @OptionGroup var output: OutputOptions
        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            try await RecoverDataKeys(componentFiles: componentFiles).run(options, signer, output)
        }
    }
}
