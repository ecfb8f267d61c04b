import Administration
import ArgumentParser
import CardCompanion
import CardCompanionHTTP
import CardCompanionModel
import CardCompanionServer
import CardCompanionStore
import DualControl

struct ServerKeyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "server-key",
        abstract: "Lists, rotates and retires the server's own keys, for sealing and for signing.",
        subcommands: [List.self, Rotate.self, Retire.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "Lists the keys.", discussion: "EXAMPLE\n  card-companion server-key list")

        @OptionGroup var output: OutputOptions
        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            let keys = try await Installation.run(options) { installation in
                _ = try await installation.withDataKeys { dataKeys in
                    try await ServerKeys.opened(with: try await dataKeys.opened(), of: dataKeys)
                }
                return try await installation.store.serverKeys()
            }
            let reports = keys.map(Report.init)
            let rows = reports.map {
                [$0.keyId, $0.kind, $0.status, $0.createdAt, $0.demotedAt ?? "", $0.erasedAfter ?? ""]
            }
            try Terminal.show(
                TextTable.text(["KEY", "KIND", "STATUS", "CREATED", "REPLACED", "ERASED AFTER"], rows), json: reports,
                asJSON: output.json)
        }
    }

    struct Rotate: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rotate",
            abstract: "Creates new keys. The key set lists them first.",
            discussion: """
                The old keys are still published and still open values, until they are retired. Retire them when apps \
                no longer seal to them: apps can cache the key set until its Cache-Control expires.

                EXAMPLES
                  card-companion server-key rotate
                  card-companion server-key rotate --kind EC
                """)

        @Option(help: "RSA or EC (for sealing), or SIGNING. Default: all.")
        var kind: ServerKeyKind?
        @OptionGroup(title: "Operator") var signer: OperatorOptions
        @OptionGroup var output: OutputOptions
        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            try await RotateServerKeys(kinds: kind.map { [$0] } ?? ServerKeyKind.allCases)
                .run(options, signer, output)
        }
    }

    struct Retire: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "retire",
            abstract: "Removes a replaced key from the key set. Apps can no longer use it.",
            discussion: """
                For 90 days the key still opens the PINs and codes that banks provision. Then it is erased. If someone \
                else may have the key, use --erase.

                EXAMPLES
                  card-companion server-key retire 9KO5bIWA-KVk-JsiTjQ-GzFVwa5nPEeVT4wiJNKHoDs
                  card-companion server-key retire \\
                      --erase 9KO5bIWA-KVk-JsiTjQ-GzFVwa5nPEeVT4wiJNKHoDs
                """)

        @Argument(help: "The key's name: its kid.")
        var keyId: String
        @Flag(help: "Retire it even if apps can still have a key set that contains it.")
        var force = false
        @Flag(help: "Erase it at once, even if it is already retired.")
        var erase = false
        @OptionGroup(title: "Operator") var signer: OperatorOptions
        @OptionGroup var output: OutputOptions
        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            try await RetireServerKey(keyId: keyId, force: force, erase: erase).run(options, signer, output)
        }
    }

    private struct Report: Encodable {
        let keyId: String
        let kind: String
        let status: String
        let createdAt: String
        let demotedAt: String?
        /// Nil if it is not retired, or if it is erased already.
        let erasedAfter: String?

        init(_ key: ServerKeyRecord) {
            keyId = key.keyId
            kind = key.kind.rawValue
            status = key.status.rawValue
            createdAt = key.createdAt.text
            demotedAt = key.demotedAt?.text
            erasedAfter =
                key.sealedKey == nil
                ? nil : key.retiredAt?.advanced(bySeconds: ServerKeys.retiredLifetimeSeconds).text
        }
    }
}
