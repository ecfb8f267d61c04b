import Administration
import ArgumentParser
import CardCompanion
import CardCompanionModel
import CardCompanionServer
import CardCompanionStore
import Foundation

struct DatabaseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "database", abstract: "An operator's work on the database.", subcommands: [Restored.self])

    struct Restored: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "restored",
            abstract: "Makes a restored database safe to serve. Run it before the first server starts.",
            discussion: """
                A backup does not contain what happened after it. After this command

                - servers refuse requests and calls that were signed before it ran, because they may have been served \
                already;
                - a million event positions and ETags that banks may have seen are skipped, servers answer older cursors \
                that events are lost, and banks get their unacknowledged events again;
                - the PINs that were delivered since the backup are erased, with their codes, if their bank erases \
                delivered PINs. An export of the audit trail (--audit) says which PINs these are; without it, all PINs of \
                these banks are erased. Each bank gets pin.expired events, and must provision these PINs again;
                - the audit trail has a new epoch;
                - servers can start with a vault from a backup.

                The command needs the database role that owns the schema, and the vault. If it is interrupted, run it \
                again.

                EXAMPLES
                  card-companion database restored --backup-time 2026-11-21T02:00:00Z \\
                      --audit audit.ndjson
                  card-companion database restored --backup-time 2026-11-21T02:00:00Z
                """)

        /// How many numbers are passed over: far more than are given between two backups.
        private static let skippedNumbers: Int64 = 1_000_000

        @Option(
            help: "The time of the backup, or the last time that it covers (ISO 8601).", transform: AuditCommand.time)
        var backupTime: Timestamp
        @Option(
            help:
                "An export of the audit trail that continues after the backup: from 'audit export', or the SIEM's copy."
        )
        var audit: String?
        @OptionGroup var output: OutputOptions
        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            let confirmed = try audit.map { try AuditCopy(path: $0).confirmedDeliveries(since: backupTime) }
            let action = AdminAction(command: "database restored", subject: "backup of \(backupTime.text)")
            let report = try await Installation.run(options, asOwner: true, action: action) {
                [backupTime] installation in
                try await Self.requireNoServer(installation)
                try await installation.requireOwner(for: "database restored")
                let now = installation.clock.now()
                // If one cannot be read, nothing is begun: delivered PINs of its cardholders would stay.
                _ = try await installation.store.banks()
                try await installation.store.passRestore(skipping: Self.skippedNumbers, now: now)
                let erased = try await installation.withKeyring {
                    try await RestoredPINs(confirmed: confirmed)
                        .erase(in: installation.store, keyring: $0, now: now)
                }
                let seal = try await installation.withSeals(signs: true) { seals in
                    // The backup lacks the seals since then.
                    try await seals.beginEpoch(
                        note: "restored the backup of \(backupTime.text)",
                        givingUp: try await seals.memory.fault()?.known)
                }
                // The last step: if the command was interrupted, no server starts.
                try await installation.withVault(installation.vaults.vault()) { try BackupCopy.accept($0) }
                return Report(
                    erasedPINs: erased, epoch: seal?.epoch, lostSeal: seal?.lost?.number, requestsFrom: now.text)
            }
            try Terminal.show(report.text, json: report, asJSON: output.json)
        }

        private static func requireNoServer(_ installation: Installation) async throws {
            let limit = ServerVaults.limit(installation.clock.now())
            guard try await installation.store.serverVaults(seenSince: limit).isEmpty else {
                throw CommandError.refused(
                    "a server has used this database within the last \(ServerVaults.lifetimeSeconds) seconds: stop all servers, "
                        + "wait that long, and run the command again")
            }
        }

        private struct Report: Encodable {
            let erasedPINs: Int
            let epoch: Int32?
            /// The newest seal that was known, if the backup lacks it.
            let lostSeal: Int64?
            let requestsFrom: String

            var text: String {
                "erased \(erasedPINs) PINs; requests from before \(requestsFrom) are refused"
                    + (epoch.map { "; epoch \($0) of the audit trail begins" } ?? "")
                    + (lostSeal.map { "; seal \($0) was known, and is given up" } ?? "")
            }
        }
    }
}

extension Installation {
    /// - Throws: ``CommandError`` if the role of the database does not own the schema.
    func requireOwner(for command: String) async throws {
        guard try await SchemaRunner(store: store, logger: logger).check().isOwned else {
            throw CommandError.configuration(
                "this role of the database does not own the schema: run 'card-companion \(command)' with the role that owns the "
                    + "schema, as for 'card-companion migrate'")
        }
    }
}
