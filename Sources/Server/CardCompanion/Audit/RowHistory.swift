internal import CardCompanionModel
internal import Cryptography

/// What entries say about rows of cardholders and passes: whether each change of a row begins where the one before it has ended,
/// and how the last one has ended.
///
/// Chains are read one after the other, so the changes of a row come in any order. So that memory is enough for millions of rows,
/// each has a sum of 8 bytes: of marks of the digests after its changes, minus those before. All but the last one cancel out if
/// nothing was changed in between. A mark depends on a random key, so that nobody can choose rows whose marks cancel out.
package struct RowHistory: Sendable {
    /// How a row has ended in what was read.
    struct End {
        var changes: Int64
        var digest: [UInt8]?
    }

    private let closing: AuditSealRecord?
    private let key = SecureRandom.bytes(count: keyByteCount)
    private static let keyByteCount = 16
    /// By the row's number. A sum of zero is left out: the row is gone.
    private(set) var sums: [Int64: UInt64] = [:]
    /// The last entry that was read of each chain.
    private(set) var heads: [Int32: AuditHead]
    /// Of a part that is to be closed: the last entry of each chain in it, and how rows have ended there.
    private let part: [Int32: AuditHead]?
    private(set) var ends: [Int64: End] = [:]

    /// - Parameters:
    ///   - closing: the newest one.
    ///   - part: the last entries of the part that is to be closed; nil for the whole trail.
    init(closing: AuditSealRecord?, part: [AuditHead]?) {
        self.closing = closing
        self.part = part.map { Dictionary($0.map { ($0.chainId, $0) }) { $1 } }
        heads = Dictionary((closing?.coveredHeads ?? []).map { ($0.chainId, $0) }) { $1 }
    }

    /// Reads an entry that was not closed.
    mutating func read(_ entry: AuditEntryRecord) {
        heads[entry.chainId] = AuditHead(chainId: entry.chainId, sequence: entry.sequence, hash: entry.hash)
        guard entry.rows != nil, counts(entry), isInPart(entry) else { return }
        for change in entry.rowChanges {
            add(change)
            if part != nil { end(change) }
        }
    }

    func counts(_ entry: AuditEntryRecord) -> Bool { entry.counts(with: closing) }

    /// What the newest closing carries on stands for entries before it, wherever it is itself.
    private func isInPart(_ entry: AuditEntryRecord) -> Bool {
        guard let part else { return true }
        return entry.outcome == AuditEntryRecord.carriedOutcome || entry.sequence <= part[entry.chainId]?.sequence ?? 0
    }

    private mutating func add(_ change: RowChange) {
        let sum = (sums[change.rowId] ?? 0) &+ sum(of: [change])
        sums[change.rowId] = sum == 0 ? nil : sum
    }

    private mutating func end(_ change: RowChange) {
        guard change.changes > ends[change.rowId]?.changes ?? 0 else { return }
        ends[change.rowId] = End(changes: change.changes, digest: change.after)
    }

    /// What these changes add to the sum of their row.
    func sum(of changes: some Sequence<RowChange>) -> UInt64 {
        changes.reduce(0) { sum, change in
            sum &+ mark(change.rowId, change.changes, change.after)
                &- mark(change.rowId, change.changes - 1, change.before)
        }
    }

    /// The sum that a row must have, if its last change has left it like this.
    func mark(_ rowId: Int64, _ changes: Int64, _ digest: [UInt8]?) -> UInt64 {
        guard let digest else { return 0 }
        let bytes = key + rowId.bigEndianBytes + changes.bigEndianBytes + digest
        return UInt64(bigEndianBytes: SHA256.hash(bytes).prefix(8))
    }

    /// Takes a row out if it is as the entries say.
    mutating func accept(_ row: AuditedRow) -> Bool {
        guard sums[row.rowId] == mark(row.rowId, row.changes, row.digest) else { return false }
        sums[row.rowId] = nil
        return true
    }

    /// Of a part that is to be closed: how the rows have ended that were there.
    var endedRows: [RowChange] {
        ends.compactMap { rowId, end in
            end.digest.map { RowChange(rowId: rowId, changes: end.changes, before: nil, after: $0) }
        }.sorted { $0.rowId < $1.rowId }
    }

    /// Of a part that is to be closed: how many rows have changes that do not follow from each other.
    var brokenRows: Int {
        ends.count { rowId, end in sums[rowId] ?? 0 != mark(rowId, end.changes, end.digest) }
    }
}
