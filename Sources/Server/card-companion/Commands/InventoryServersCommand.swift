import Administration
import ArgumentParser
import CardCompanion
import CardCompanionModel
import CardCompanionServer
import CardCompanionStore
import DualControl

extension InventoryCommand {
    struct Servers: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "servers",
            abstract: "Shows which version each running server uses, and waits until all use the newest one.",
            discussion: """
                Servers look for a newer version every ten seconds, and report theirs as often. With --wait the \
                command ends when all running servers use the newest version: then what was taken out counts nowhere. \
                If one still does not after --timeout-seconds, the command names it and fails. A server that has \
                reported nothing for a minute is not in the list.

                EXAMPLES
                  card-companion inventory servers
                  card-companion issuer-key disable --bank MYBANK 2025 \\
                      && card-companion inventory servers --wait
                """)

        @Flag(help: "Wait until all running servers use the newest version.")
        var wait = false
        @Option(help: "How long --wait waits.")
        var timeoutSeconds = 90
        @OptionGroup var output: OutputOptions
        @OptionGroup var options: ConfigurationOptions

        private static let pause = Duration.seconds(1)

        func validate() throws {
            guard 1...3600 ~= timeoutSeconds else { throw ValidationError("--timeout-seconds must be 1 to 3600.") }
        }

        func run() async throws {
            let report = try await Installation.run(options) { [wait, timeoutSeconds] installation in
                guard let newest = try await installation.inventory() else { throw InventoryCommand.none }
                let deadline = ContinuousClock.now + .seconds(timeoutSeconds)
                while true {
                    let report = try await Report(installation, newest: newest.version)
                    if !wait || report.late.isEmpty { return report }
                    guard ContinuousClock.now < deadline else { throw report.refusal(afterSeconds: timeoutSeconds) }
                    try await Task.sleep(for: Self.pause)
                }
            }
            try Terminal.show(report.text, json: report, asJSON: output.json)
        }
    }

    static let none = CommandError.notFound("there is no inventory yet: the first server makes it when it starts")
}

/// The versions that running servers use.
private struct Report: Encodable {
    struct Server: Encodable {
        let server: String
        let version: Int64
        let seenAt: String
    }

    let newestVersion: Int64
    let servers: [Server]

    init(_ installation: Installation, newest: Int64) async throws {
        newestVersion = newest
        let limit = ServerVaults.limit(installation.clock.now())
        servers = try await installation.store.serverVaults(seenSince: limit).map {
            Server(server: $0.serverName, version: $0.inventoryVersion, seenAt: $0.seenAt.text)
        }
    }

    /// The servers that use an older version.
    var late: [Server] { servers.filter { $0.version < newestVersion } }

    var text: String {
        "the newest version is \(newestVersion)\n\n"
            + TextTable.text(["SERVER", "VERSION", "SEEN"], servers.map { [$0.server, "\($0.version)", $0.seenAt] })
    }

    func refusal(afterSeconds seconds: Int) -> CommandError {
        let names = late.map { "\(ClientText.printable($0.server)) (version \($0.version))" }.joined(separator: ", ")
        return .refused(
            "after \(seconds) seconds these servers do not use version \(newestVersion) of the inventory: \(names). See their logs"
        )
    }
}
