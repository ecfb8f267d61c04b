package import CardCompanionModel
package import CardCompanionStore
internal import Cryptography

/// A row of cardholders or passes that is not what the entries of the audit trail say.
package struct RowFault: Sendable {
    package enum Kind: Sendable {
        /// No entry says how it came to be.
        case withoutEntry
        /// It was changed without an entry, after its last entry or before the one that is named.
        case changed(before: AuditEntryRecord?)
        /// It is there, although its last entry says that it is gone.
        case putBack
        /// It is gone without an entry.
        case missing
    }

    package let rowId: Int64
    /// Nil if it is missing.
    package let row: AuditedRow?
    package let kind: Kind
    /// The last entry before the change without one.
    package let entry: AuditEntryRecord?
    /// The newest pseudonym of the cardholder in the row's entries.
    package let subject: [UInt8]?
    package let bankId: String?
}

/// Compares the rows of cardholders and passes with what the audit trail says, while servers go on.
package struct RowVerification {
    /// How many faults are explained.
    package static let toldLimit = 1_000
    private static let pageLength = 5_000

    private let store: Store
    private var history: RowHistory
    /// How many rows were compared.
    package private(set) var counts: [AuditedRow.Table: Int] = [:]
    /// How many rows are not what the entries say.
    package private(set) var faultCount = 0
    /// Entries that were added meanwhile and are wrong.
    package private(set) var entryFaults: [AuditFault] = []
    /// Rows that differ. They may have changed since the trail was read.
    private var differing: [AuditedRow] = []

    /// - Parameter history: of the whole trail.
    package init(store: Store, history: RowHistory) {
        self.store = store
        self.history = history
    }

    /// - Parameters:
    ///   - bankId: the bank whose rows are compared; nil for those of all banks. Missing rows are found only then.
    ///   - progress: gets the number of rows from time to time.
    /// - Returns: what is wrong, at most ``toldLimit`` of it.
    package mutating func faults(of bankId: Identifier?, progress: (Int) -> Void) async throws -> [RowFault] {
        for table in AuditedRow.Table.allCases { try await compare(table, bankId, progress) }
        let later = try await laterChanges()
        let rows = differing.filter { !isExplained($0, by: later[$0.rowId] ?? []) }
        let known = Set(differing.map(\.rowId))
        let missing =
            bankId != nil
            ? []
            : history.sums.filter { rowId, sum in
                !known.contains(rowId) && sum &+ history.sum(of: later[rowId] ?? []) != 0
            }.keys.sorted()
        faultCount = rows.count + missing.count
        return try await explained(rows.map { ($0.rowId, $0) } + missing.map { ($0, nil) })
    }

    private mutating func compare(
        _ table: AuditedRow.Table, _ bankId: Identifier?, _ progress: (Int) -> Void
    ) async throws {
        var after = (bankId: bankId?.text ?? "", uniqueId: "")
        while true {
            let page = try await store.auditedRows(
                table, bankId: bankId, after: after, limit: Self.pageLength)
            guard let last = page.last else { return }
            differing += page.filter { !history.accept($0) }
            counts[table, default: 0] += page.count
            progress(counts.values.reduce(0, +))
            after = (last.bankId, last.uniqueId)
        }
    }

    /// What was added to the trail since it was read. A change that a row shows has its entry there, because both are written in
    /// one transaction.
    private mutating func laterChanges() async throws -> [Int64: [RowChange]] {
        var changes: [Int64: [RowChange]] = [:]
        for chain in try await store.auditChains() {
            var last = history.heads[chain.chainId] ?? AuditHead(chainId: chain.chainId, sequence: 0, hash: [])
            while last.sequence < chain.sequence {
                let entries = try await store.auditEntries(
                    afterChain: chain.chainId, sequence: last.sequence, limit: Self.pageLength
                ).filter { $0.chainId == chain.chainId }
                guard !entries.isEmpty else { break }
                for entry in entries {
                    require(entry, after: last)
                    last = AuditHead(chainId: chain.chainId, sequence: entry.sequence, hash: entry.hash)
                    guard history.counts(entry) else { continue }
                    for change in entry.rowChanges { changes[change.rowId, default: []].append(change) }
                }
            }
        }
        return changes
    }

    private mutating func require(_ entry: AuditEntryRecord, after last: AuditHead) {
        if entry.sequence != last.sequence + 1 {
            entryFaults.append(.missingEntries(chainId: entry.chainId, before: entry.sequence))
        } else if entry.hash != entry.expectedHash(after: last.hash) {
            entryFaults.append(.wrongHash(chainId: entry.chainId, sequence: entry.sequence))
        }
    }

    /// Whether the row is as later changes have left it. Some may have come after it was read.
    private func isExplained(_ row: AuditedRow, by later: [RowChange]) -> Bool {
        let sum = (history.sums[row.rowId] ?? 0) &+ history.sum(of: later.filter { $0.changes <= row.changes })
        return sum == history.mark(row.rowId, row.changes, row.digest)
    }
}

// MARK: - Explanations

extension RowVerification {
    /// Reads the trail again, for the entries of the rows.
    private func explained(_ rows: [(rowId: Int64, row: AuditedRow?)]) async throws -> [RowFault] {
        let told = rows.prefix(Self.toldLimit)
        guard !told.isEmpty else { return [] }
        var steps = Dictionary(told.map { ($0.rowId, [RowStep]()) }) { first, _ in first }
        var (chainId, sequence) = (Int32.min, Int64(0))
        while true {
            let entries = try await store.auditEntries(
                afterChain: chainId, sequence: sequence, limit: Self.pageLength)
            guard let last = entries.last else { break }
            (chainId, sequence) = (last.chainId, last.sequence)
            for entry in entries where history.counts(entry) {
                for change in entry.rowChanges { steps[change.rowId]?.append(RowStep(entry: entry, change: change)) }
            }
        }
        return told.map { rowId, row in RowFault(rowId: rowId, row: row, steps: steps[rowId] ?? []) }
    }
}

/// A change of a row, and the entry that has it.
private struct RowStep {
    let entry: AuditEntryRecord
    let change: RowChange
}

extension RowFault {
    fileprivate init(rowId: Int64, row: AuditedRow?, steps: [RowStep]) {
        let steps = steps.sorted { ($0.entry.occurredAt, $0.change.changes) < ($1.entry.occurredAt, $1.change.changes) }
        self.rowId = rowId
        self.row = row
        subject = steps.last { $0.entry.subject != nil }?.entry.subject
        bankId = row?.bankId ?? steps.last { $0.entry.bankId != nil }?.entry.bankId
        let jump = steps.indices.first { index in
            let change = steps[index].change
            guard index > 0 else { return change.before != nil }
            let previous = steps[index - 1].change
            return change.changes != previous.changes + 1 || change.before != previous.after
        }
        if let jump {
            kind = .changed(before: steps[jump].entry)
            entry = jump > 0 ? steps[jump - 1].entry : nil
        } else {
            entry = steps.last?.entry
            kind =
                switch (row, steps.last) {
                case (nil, _): .missing
                case (_, nil): .withoutEntry
                case (_, let last?): last.change.after == nil ? .putBack : .changed(before: nil)
                }
        }
    }
}

extension RowFault: CustomStringConvertible {
    package var description: String {
        let after = entry.map { " after \($0.place)" } ?? ""
        return switch kind {
        case .withoutEntry: "\(name) has no entry in the audit trail: somebody has put it in"
        case .changed(nil): "\(name) was changed without an entry\(after)"
        case .changed(let next?): "\(name) was changed without an entry\(after), before \(next.place)"
        case .putBack: "\(name) is there, although it was removed with \(entry?.place ?? "an entry")"
        case .missing: "\(name) is gone without an entry\(after)"
        }
    }

    private var name: String {
        guard let row else {
            let whose = subject.map { "the cardholder with the pseudonym \(Hex.encode($0))" } ?? "a cardholder"
            return "a row of \(whose) of bank \(ClientText.quoted(bankId ?? "?"))"
        }
        let cardholder = "cardholder \(ClientText.quoted(row.uniqueId)) of bank \(ClientText.quoted(row.bankId))"
        return switch row.table {
        case .cardholder: cardholder
        case .pass: "the pass of \(cardholder)"
        }
    }
}

extension AuditEntryRecord {
    /// Where it is, and what it says.
    fileprivate var place: String {
        "entry \(sequence) of chain \(chainId) (\(operation): \(outcome))"
    }
}
