import Administration
import ArgumentParser
import CardCompanion
import CardCompanionModel
import CardCompanionServer
import CardCompanionStore
import Cryptography

extension AuditCommand {
    struct NewEpoch: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "new-epoch",
            abstract:
                "Adds a signed seal that begins a new epoch of the trail and says why, and lets servers add seals again.",
            discussion: """
                Servers stop adding seals after a seal that none of their keys has signed, and if the trail in the \
                database is not the one that they or the vault know: it lacks seals, or has others. Find out why \
                first. If you accept the trail as it is, name both: the newest seal that was known (--lost) and the \
                newest one that is there (--found), as the log or 'doctor' says. If the logs of servers name different \
                ones, take the highest. The seal keeps both, and 'audit verify' shows them.

                If the trail lacks seals because the database was restored from a backup, do not use this command: \
                'database restored' makes the database safe, and begins the epoch itself.

                EXAMPLES
                  card-companion audit new-epoch --reason 'the token was replaced'
                  card-companion audit new-epoch --lost 4711:9f86… --found 4699 \\
                      --reason 'the standby lacked two minutes when it took over'
                """)

        @Option(help: "The reason, in one line.")
        var reason: String
        @Option(help: "The newest seal that was known: its number and its hash in hex. Needs --found.")
        var lost: String?
        @Option(help: "The number of the newest seal in the database; 0 if there is none. Needs --lost.")
        var found: Int64?
        @OptionGroup var output: OutputOptions
        @OptionGroup var options: ConfigurationOptions

        func validate() throws {
            guard 1...200 ~= reason.utf8.count else { throw ValidationError("--reason must have 1 to 200 bytes.") }
            guard (lost == nil) == (found == nil) else { throw ValidationError("Use --lost and --found together.") }
            guard found ?? 0 >= 0 else { throw ValidationError("--found must not be negative.") }
        }

        func run() async throws {
            let lost = try lost.map { try AuditCommand.seal($0, of: "--lost") }
            let action = AdminAction(command: "audit new-epoch", subject: subject(lost))
            let seal = try await Installation.run(options, action: action) { [reason, found] installation in
                try await installation.withSeals(signs: true) { seals in
                    if let fault = try await seals.memory.fault() { try Self.require(lost, after: fault) }
                    return try await seals.beginEpoch(note: reason, givingUp: lost, after: found)
                }
            }
            guard let seal else { throw CommandError.refused("a server has just added a seal: try again") }
            try Terminal.show(
                "epoch \(seal.epoch) begins with seal \(seal.mark.text)",
                json: ["seal": "\(seal.number)", "hash": Hex.encode(seal.hash), "epoch": "\(seal.epoch)"],
                asJSON: output.json)
        }

        private func subject(_ lost: Mark?) -> String {
            guard let lost else { return reason }
            return "\(reason) (seal \(lost.number) was known, seal \(found ?? 0) was found)"
        }

        /// Who accepts a trail that is not the known one must say so.
        private static func require(_ lost: Mark?, after fault: ReplacedTrail) throws {
            guard let lost else { throw fault }
            guard lost.number >= fault.known.number else {
                throw CommandError.refused("--lost: the vault knows a newer seal, \(fault.known.text)")
            }
        }
    }
}
