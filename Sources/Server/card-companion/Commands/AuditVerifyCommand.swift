import Administration
import ArgumentParser
import CardCompanion
import CardCompanionModel
import CardCompanionServer
import CardCompanionStore
import Cryptography
import Foundation

extension AuditCommand {
    struct Verify: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "verify",
            abstract: "Finds altered, dropped and reordered entries and seals.",
            discussion: """
                Entries that are newer than the last seal are counted, but nothing proves that none of them was \
                removed. The newest seal that the vault knows must be in the trail. With --last-seal or --witness, the \
                command also compares a seal that somebody else has kept: its number and hash from a server's log, or \
                the JSON of /.well-known/audit-seal or of an event audit.sealed.

                With --cardholders, the command also compares each row of cardholders and their passes with the \
                entries: a row that was changed without an entry is found, also if a request has changed it again \
                since. With --bank, it compares only the rows of that bank, and does not find rows that are gone.

                Late entries are shown: an earlier seal should have had them, so somebody may have put them in. The \
                exit status is 1 if something is wrong; late entries do not count.

                EXAMPLES
                  card-companion audit verify
                  card-companion audit verify --witness seal-of-the-bank.json
                  card-companion audit verify --cardholders
                  card-companion audit verify --last-seal "$(cat last-seal)"
                """)

        @Option(help: "A seal that must be in the trail: its number and its hash in hex.")
        var lastSeal: String?
        @Option(help: "A file with a seal that must be in the trail, as a server or an event had it. Can be repeated.")
        var witness: [String] = []
        @Flag(help: "Also compare the rows of cardholders and their passes with the entries.")
        var cardholders = false
        @Option(help: "Only rows of this bank. Needs --cardholders.")
        var bank: Identifier?
        @OptionGroup var output: OutputOptions
        @OptionGroup var options: ConfigurationOptions

        func validate() throws {
            guard bank == nil || cardholders else { throw ValidationError("--bank needs --cardholders.") }
        }

        func run() async throws {
            let known =
                try (lastSeal.map { [try AuditCommand.seal($0, of: "--last-seal")] } ?? [])
                + witness.map { try SealWitness.read($0) }
            let report = try await Installation.run(options) { [cardholders, bank] installation in
                if let bank { _ = try await installation.bank(bank) }
                return try await installation.withSeals(signs: false) { seals in
                    let verified = try await installation.verifiedTrail(
                        seals, known: Set(known), rows: cardholders ? .all : .none)
                    var report = AuditReport(verified, damagedRows: try await seals.keys.damagedRows())
                    if let history = verified.rows { try await report.addRows(installation.store, history, of: bank) }
                    return report
                }
            }
            try Terminal.show(report.text, json: report, asJSON: output.json)
            guard report.faults.isEmpty else { throw ExitCode(1) }
        }
    }

    /// Reads `NUMBER:HASH`.
    static func seal(_ text: String, of option: String) throws -> Mark {
        guard let seal = Mark(text) else {
            throw CommandError.badInput("\(option) must be NUMBER:HASH, with the hash in hex")
        }
        return seal
    }
}

extension Installation {
    /// The audit trail, without the rows of cardholders.
    func auditReport() async throws -> AuditReport {
        try await withSeals(signs: false) { seals in
            AuditReport(
                try await verifiedTrail(seals, known: [], rows: .none), damagedRows: try await seals.keys.damagedRows())
        }
    }

    fileprivate func verifiedTrail(
        _ seals: AuditSeals, known: Set<Mark>, rows: AuditVerifier.RowPart
    ) async throws -> AuditVerifier {
        try await AuditVerifier.verified(
            store, known: known, kept: try await seals.memory.keptMark(), keys: try await seals.keys.verifiers(),
            rows: rows)
    }
}

/// A seal that somebody has kept.
private struct SealWitness: Decodable {
    /// The JSON of the end point has the members itself, an event has them in `data`.
    private struct Event: Decodable {
        let data: SealWitness
    }

    let number: Int64
    let hash: String

    static func read(_ path: String) throws -> Mark {
        let bytes = Data(try InputFile.read(path, byteLimit: InputFile.messageByteLimit))
        let decoder = JSONDecoder()
        let witness =
            (try? decoder.decode(SealWitness.self, from: bytes)) ?? (try? decoder.decode(Event.self, from: bytes))?.data
        guard let witness, let seal = Mark("\(witness.number):\(witness.hash)") else {
            throw CommandError.badInput(
                "--witness: \(path) is neither the JSON of /.well-known/audit-seal nor of an event audit.sealed")
        }
        return seal
    }
}

/// What was found.
struct AuditReport: Encodable, Sendable {
    /// How many faults and late entries are told.
    private static let toldLimit = 20

    let entries: Int
    let seals: Int64
    let unsealed: Int
    let late: [Late]
    private(set) var faults: [String]
    private(set) var faultCount: Int
    /// What was found of cardholders' rows, if they were compared.
    private(set) var rows: RowReport?
    let epochs: [Epoch]
    let signers: [Signer]
    /// Rows of keys with a value that does not open.
    let damagedRows: [String]

    /// Entries of a chain that came late.
    struct Late: Encodable, Sendable {
        let chain: Int32
        let first: Int64
        let last: Int64
        let seal: Int64

        var text: String {
            let which =
                first == last ? "entry \(first) of chain \(chain)" : "entries \(first) to \(last) of chain \(chain)"
            return
                "LATE: \(which) came to the trail just before seal \(seal), although an earlier seal should have had them"
        }
    }

    struct Signer: Encodable, Sendable {
        let keyId: String
        /// `token`, `recorded` (another token, as the database says) or `server`.
        let holder: String
        let firstSeal: Int64
        let seals: Int

        var text: String {
            let whose =
                switch holder {
                case "token": "the token's key"
                case "recorded":
                    "the key of another token (according to the database: check that the token is yours),"
                default: "a server's key"
                }
            return "\(seals) seals since seal \(firstSeal) are signed by \(whose) \(keyId)"
        }
    }

    struct Epoch: Encodable, Sendable {
        let epoch: Int32
        let seal: Int64
        let since: String
        let reason: String
        let leavesToken: Bool
        /// The newest seal that was known, if an operator has given it up; and the one that the epoch follows.
        let lostSeal: Int64?
        let seenSeal: Int64?

        init(_ epoch: AuditVerifier.Epoch) {
            self.epoch = epoch.number
            seal = epoch.seal
            since = epoch.sealedAt.text
            reason = epoch.reason
            leavesToken = epoch.leavesToken
            lostSeal = epoch.lost?.number
            seenSeal = epoch.lost == nil ? nil : epoch.before
        }

        var text: String {
            let lost = lostSeal.map { lost in
                let seen = seenSeal ?? 0
                return
                    " (seal \(lost) was known, and the database had \(seen == 0 ? "none" : "seal \(seen) as its newest one"))"
            }
            return "epoch \(epoch) began at \(since) with seal \(seal): \(reason)" + (lost ?? "")
                + (leavesToken ? " (from here on, servers sign the seals instead of a token)" : "")
        }
    }

    init(_ verifier: AuditVerifier, damagedRows: [String]) {
        self.damagedRows = damagedRows
        entries = verifier.entryCount
        seals = verifier.sealCount
        unsealed = verifier.unsealedCount
        late = verifier.late.map {
            Late(chain: $0.entries.chainId, first: $0.entries.first, last: $0.entries.last, seal: $0.seal)
        }
        faults = verifier.faults.prefix(Self.toldLimit).map(\.description)
        faultCount = verifier.faults.count
        signers = verifier.signers.values.sorted { $0.firstSeal < $1.firstSeal }.map {
            Signer(keyId: $0.keyId, holder: $0.holder.rawValue, firstSeal: $0.firstSeal, seals: $0.seals)
        }
        epochs = verifier.epochs.map(Epoch.init)
    }

    var text: String {
        let counts = "\(entries) entries, \(seals) seals; \(unsealed) entries are newer than the last seal"
        var told = [counts] + [rows?.text].compactMap(\.self) + signers.map(\.text) + epochs.map(\.text)
        told += damagedRows.map { "WARNING: a value in the row \($0) was damaged or forged, and is not used" }
        told += late.prefix(Self.toldLimit).map(\.text)
        if late.count > Self.toldLimit { told.append("and \(late.count - Self.toldLimit) more late ones") }
        guard faultCount > 0 else {
            return (told + ["nothing was altered, dropped or reordered"]).joined(separator: "\n")
        }
        let more = faultCount > faults.count ? ["and \(faultCount - faults.count) more"] : []
        return (told + faults.map { "WRONG: \($0)" } + more).joined(separator: "\n")
    }
}

// MARK: - Rows of cardholders

/// What was found of the rows of cardholders and passes.
struct RowReport: Encodable, Sendable {
    let cardholders: Int
    let passes: Int
    /// At most ``RowVerification/toldLimit`` of them.
    let faults: [Fault]
    let faultCount: Int

    struct Fault: Encodable, Sendable {
        let table: String?
        let bankId: String?
        let uniqueId: String?
        /// The cardholder's pseudonym in the trail, in hex.
        let subject: String?
        /// The last entry before the change without one.
        let lastEntry: AuditLine?
        let text: String

        init(_ fault: RowFault) {
            table = fault.row?.table.rawValue
            bankId = fault.bankId
            uniqueId = fault.row?.uniqueId
            subject = fault.subject.map { Hex.encode($0) }
            lastEntry = fault.entry.map(AuditLine.init)
            text = fault.description
        }
    }

    var text: String { "\(cardholders) cardholders and \(passes) passes were compared with their entries" }
}

extension AuditReport {
    fileprivate mutating func addRows(_ store: Store, _ history: RowHistory, of bankId: Identifier?) async throws {
        var verification = RowVerification(store: store, history: history)
        var bar = ProgressBar(total: nil)
        let found = try await verification.faults(of: bankId) { bar.update(done: $0, count: $0) }
        bar.finish()
        rows = RowReport(
            cardholders: verification.counts[.cardholder] ?? 0, passes: verification.counts[.pass] ?? 0,
            faults: found.map(RowReport.Fault.init), faultCount: verification.faultCount)
        let later = verification.entryFaults.map(\.description)
        let told = (later + found.map(\.description)).prefix(max(Self.toldLimit - faults.count, 0))
        faults += told
        faultCount += later.count + verification.faultCount
    }
}
