import Administration
import ArgumentParser
import CardCompanion
import CardCompanionModel
import CardCompanionServer
import CardCompanionStore
import Cryptography
import Foundation

extension AuditCommand {
    struct Close: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "close",
            abstract: "Closes the oldest part of the trail: signs its end, and removes it.",
            discussion: """
                The command first verifies the trail. Then it removes all entries and seals up to the last seal before \
                the given time. A signed closing seal stays, with the end of each chain. So 'audit verify' can still \
                verify the rest, and find entries that were removed without a closing. Export the entries first, and \
                keep the export.

                Rows of cardholders that are there at the end of the closed part get new entries, so that 'audit \
                verify --cardholders' can go on. If a row was changed without an entry, the command refuses: look at \
                the row first.

                The command needs the database role that owns the schema, as 'card-companion migrate' does. If it is \
                interrupted, run it again.

                EXAMPLES
                  card-companion audit export --cursor-file archive.cursor >> archive.ndjson
                  card-companion audit close --before 2026-01-01T00:00:00Z \\
                      --cursor-file archive.cursor
                """)

        @Option(help: "Close everything that was sealed before this time (ISO 8601).", transform: AuditCommand.time)
        var before: Timestamp
        @Option(help: "The cursor file of the export. The command refuses to close what was not exported.")
        var cursorFile: String?
        @Flag(help: "Use this instead of --cursor-file if you have the entries elsewhere, or no longer need them.")
        var exported = false
        @Flag(
            help: "Close although rows of cardholders were changed without an entry. Afterwards nobody can find that.")
        var acceptChangedRows = false
        @OptionGroup var output: OutputOptions
        @OptionGroup var options: ConfigurationOptions

        func validate() throws {
            guard (cursorFile == nil) == exported else {
                throw ValidationError("Use either --cursor-file or --exported.")
            }
        }

        func run() async throws {
            let cursor = try cursorFile.map { path in
                guard FileManager.default.fileExists(atPath: path) else {
                    throw CommandError.notFound("--cursor-file: there is no file \(path)")
                }
                return try AuditCursor.read(path)
            }
            let action = AdminAction(command: "audit close", subject: "before \(before.text)")
            let result = try await Installation.run(options, asOwner: true, action: action) {
                [before, acceptChangedRows] installation in
                try await installation.requireOwner(for: "audit close")
                return try await installation.withSeals(signs: true) { seals in
                    let closing = AuditClosing(store: installation.store, seals: seals, clock: installation.clock)
                    let part = try await closing.part(before: before)
                    let rows = try await Self.verifiedRows(of: part, installation.store, seals)
                    var seal: AuditSealRecord?
                    if let part, let rows {
                        try Self.require(part, isIn: cursor, before)
                        seal = try await Self.close(closing, part, rows, acceptsChanges: acceptChangedRows)
                    }
                    let removed = try await closing.removeClosed()
                    guard seal != nil || removed > 0 else {
                        throw CommandError.refused("there is no seal before \(before.text) to close")
                    }
                    return Result(seal, removed: removed)
                }
            }
            try Terminal.show(result.text, json: result, asJSON: output.json)
        }

        /// What is closed can never be verified again.
        private static func verifiedRows(
            of part: AuditClosing.Part?, _ store: Store, _ seals: AuditSeals
        ) async throws -> RowHistory? {
            let verifier = try await AuditVerifier.verified(
                store, known: [], kept: try await seals.memory.keptMark(), keys: try await seals.keys.verifiers(),
                rows: part.map { .closed($0) } ?? .none)
            guard let fault = verifier.faults.first else { return verifier.rows }
            throw CommandError.refused(
                "the trail could not be verified, so nothing was closed: \(fault); see 'card-companion audit verify'")
        }

        private static func require(
            _ part: AuditClosing.Part, isIn cursor: AuditCursor?, _ time: Timestamp
        ) throws {
            guard let cursor, !cursor.covers(part) else { return }
            throw CommandError.refused(
                "not everything before \(time.text) was exported: run 'card-companion audit export' with this cursor file"
            )
        }

        private static func close(
            _ closing: AuditClosing, _ part: AuditClosing.Part, _ rows: RowHistory, acceptsChanges: Bool
        ) async throws -> AuditSealRecord {
            do {
                if let seal = try await closing.close(part, rows: rows, acceptsChanges: acceptsChanges) { return seal }
            } catch let error as ChangedRows {
                throw CommandError.refused("\(error); --accept-changed-rows closes the part all the same")
            }
            throw CommandError.refused("servers have just added seals: try again")
        }

        private struct Result: Encodable {
            /// The closing seal; nil if an earlier one was finished.
            let seal: Int64?
            let hash: String?
            /// The last seal that was closed.
            let closedUpTo: Int64?
            let removedEntries: Int

            init(_ seal: AuditSealRecord?, removed: Int) {
                self.seal = seal?.number
                hash = seal.map { Hex.encode($0.hash) }
                closedUpTo = seal?.closed?.number
                removedEntries = removed
            }

            var text: String {
                guard let seal, let hash, let closedUpTo else {
                    return "removed \(removedEntries) entries that were already closed"
                }
                return
                    "closed the trail up to seal \(closedUpTo), and removed \(removedEntries) entries; the closing seal is "
                    + "\(seal):\(hash)"
            }
        }
    }
}

extension AuditCursor {
    /// Whether everything in the part was exported.
    fileprivate func covers(_ part: AuditClosing.Part) -> Bool {
        seal.number >= part.closed.number
            && part.ends.allSatisfy { end in (chains["\(end.chainId)"]?.number ?? 0) >= end.sequence }
    }
}
