import ArgumentParser
import CardCompanion
import CardCompanionHTTP
import CardCompanionModel
import CardCompanionServer
import CardCompanionStore

struct ServerKeyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "server-key",
        abstract: "Lists, rotates and retires the server's own keys, for sealing and for signing.",
        subcommands: [List.self, Rotate.self, Retire.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists the keys.", discussion: "EXAMPLE\n  card-companion server-key list")

        @OptionGroup var output: OutputOptions
        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            let keys = try await Installation.run(options) { installation in
                _ = try await installation.withKeyring { keyring in
                    try await ServerKeys.opened(with: keyring, in: installation.store, clock: installation.clock)
                }
                return try await installation.store.serverKeys()
            }
            let reports = keys.map(Report.init)
            let rows = reports.map {
                [$0.keyId, $0.kind, $0.status, $0.createdAt, $0.demotedAt ?? "", $0.erasedAfter ?? ""]
            }
            try Terminal.show(
                Terminal.table(["KEY", "KIND", "STATUS", "CREATED", "REPLACED", "ERASED AFTER"], rows), json: reports,
                asJSON: output.json)
        }
    }

    struct Rotate: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Creates new keys. The key set lists them first.",
            discussion: """
                The old keys are still published and still open values, until they are retired. Retire them when apps no
                longer seal to them: apps can cache the key set until its Cache-Control expires.

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
            abstract: "Removes a replaced key from the key set. Apps can no longer use it.",
            discussion: """
                For 90 days the key still opens the PINs and codes that banks provision. Then it is erased. If someone else may \
                have the key, use --erase.

                EXAMPLES
                  card-companion server-key retire 9KO5bIWA-KVk-JsiTjQ-GzFVwa5nPEeVT4wiJNKHoDs
                  card-companion server-key retire --erase 9KO5bIWA-KVk-JsiTjQ-GzFVwa5nPEeVT4wiJNKHoDs
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

/// `server-key rotate`.
struct RotateServerKeys: Change {
    static let command = "server-key rotate"

    let kinds: [ServerKeyKind]

    var bankId: Identifier? { nil }
    var subject: String? { kinds.map(\.rawValue).joined(separator: ", ") }

    func details(in installation: Installation) async throws -> [String] { ["new keys: \(subject ?? "")"] }

    func apply(in installation: Installation, isApproved: Bool) async throws -> Shown {
        let made = try await installation.withKeyring { keyring in
            var made: [String] = []
            for kind in kinds {
                let keyId = try await ServerKeys.rotate(
                    kind, with: keyring, in: installation.store, clock: installation.clock)
                guard let keyId else {
                    throw CommandError.refused(
                        "another rotation has just created a key: see 'card-companion server-key list'")
                }
                made.append(keyId)
            }
            return made
        }
        return Shown(
            text: "new keys: \(made.joined(separator: ", ")); running servers publish them within "
                + "\(KeyRefresh.intervalSeconds) seconds",
            json: ["keyIds": made])
    }
}

/// `server-key retire`.
struct RetireServerKey: Change {
    static let command = "server-key retire"

    let keyId: String
    let force: Bool
    let erase: Bool

    var bankId: Identifier? { nil }
    var subject: String? { keyId }

    func details(in installation: Installation) async throws -> [String] {
        ["key \(keyId) is \(erase ? "erased" : "retired")\(force ? ", even if apps still have it" : "")"]
    }

    func apply(in installation: Installation, isApproved: Bool) async throws -> Shown {
        let keys = try await installation.store.serverKeys()
        guard let key = keys.first(where: { $0.keyId == keyId }) else {
            throw CommandError.notFound("there is no key '\(keyId)': see 'card-companion server-key list'")
        }
        guard let demotedAt = key.demotedAt else {
            throw CommandError.refused("the key is the active one: rotate first")
        }
        let age = installation.clock.now().seconds - demotedAt.seconds
        // A server can publish the old set until it reloads, and an app can cache it after that.
        let wait = KeySetLifetime.seconds + Int64(KeyRefresh.intervalSeconds)
        guard force || age >= wait else {
            throw CommandError.refused(
                "the key was replaced \(age) seconds ago, and apps can have it in their key sets for \(wait) "
                    + "seconds: wait, or use --force")
        }
        let isChanged = try await installation.store.retireServerKey(
            keyId: keyId, erases: erase, now: installation.clock.now())
        guard isChanged else {
            throw CommandError.refused("the key is already \(key.sealedKey == nil ? "erased" : "retired")")
        }
        return Shown(text: "\(erase ? "erased" : "retired") '\(keyId)'", json: ["keyId": keyId])
    }
}
