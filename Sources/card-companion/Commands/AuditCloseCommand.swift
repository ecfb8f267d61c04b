import ArgumentParser
import CardCompanion
import CardCompanionStore
import Cryptography
import Foundation
import HTTPSignatures

extension AuditCommand {
    struct Close: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Closes the oldest part of the trail: signs how it ended, and removes it.",
            discussion: """
                The trail is verified first. Everything up to the last seal before the time is removed: its entries and its seals. A
                signed closing seal stays, with the end of each chain, so that 'audit verify' still verifies the rest, and finds
                entries that were removed without a closing. Export the entries before, and keep the export.

                The command needs the database role that owns the schema, as 'card-companion migrate' does. After an interruption
                run it again.

                EXAMPLES
                  card-companion audit export --cursor-file archive.cursor >> archive.ndjson
                  card-companion audit close --before 2026-01-01T00:00:00Z --cursor-file archive.cursor
                """)

        @Option(help: "Close what was sealed before this time (ISO 8601).", transform: AuditCommand.time)
        var before: Timestamp
        @Option(help: "The cursor file of the export: what it has not exported is not closed.")
        var cursorFile: String?
        @Flag(help: "Instead of --cursor-file: you have the entries elsewhere, or need them no more.")
        var exported = false
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
            let result = try await Installation.run(options, asOwner: true, action: action) { [before] installation in
                try await installation.requireOwner(for: "audit close")
                return try await installation.withSealKeys { keys in
                    try await Self.requireWholeTrail(installation.store, keys)
                    let closing = AuditClosing(
                        store: installation.store,
                        seals: AuditSeals(store: installation.store, keys: keys, clock: installation.clock))
                    let seal = try await Self.close(closing, before: before, exportedTo: cursor)
                    let removed = try await closing.removeClosed()
                    guard seal != nil || removed > 0 else {
                        throw CommandError.refused("no seal before \(before.text) is left to close")
                    }
                    return Result(seal, removed: removed)
                }
            }
            try Terminal.show(result.text, json: result, asJSON: output.json)
        }

        /// What is closed can never be verified again.
        private static func requireWholeTrail(_ store: Store, _ keys: SealKeys) async throws {
            let verifiers = try await keys.verifiers()
            let verifier = try await AuditVerifier.verified(store, known: nil, keys: verifiers)
            guard let fault = verifier.faults.first else { return }
            throw CommandError.refused(
                "the trail does not verify, so nothing is closed: \(fault); see 'card-companion audit verify'")
        }

        /// - Returns: nil if there is nothing new to close.
        private static func close(
            _ closing: AuditClosing, before time: Timestamp, exportedTo cursor: AuditCursor?
        ) async throws -> AuditSealRecord? {
            guard let part = try await closing.part(before: time) else { return nil }
            if let cursor, !cursor.covers(part) {
                throw CommandError.refused(
                    "not everything before \(time.text) was exported: run 'card-companion audit export' with this cursor file"
                )
            }
            guard let seal = try await closing.close(part, note: "closed up to seal \(part.closed.number)") else {
                throw CommandError.refused("servers have just added seals: try again")
            }
            return seal
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
                    return "removed \(removedEntries) entries that were closed before"
                }
                return
                    "closed the trail up to seal \(closedUpTo), and removed \(removedEntries) entries; the closing is seal "
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
