package import CardCompanionModel
package import CardCompanionStore
internal import Cryptography

/// Closes the oldest part of the audit trail: signs a closing seal with the ends of its chains, and removes that part. The
/// rest still verifies. The database role must own the schema.
package struct AuditClosing: Sendable {
    /// A part of the trail that can be closed.
    package struct Part: Sendable {
        /// Its last seal.
        package let closed: Mark
        /// The last entry of each chain.
        package let ends: [AuditHead]
    }

    /// How many rows are removed in one transaction.
    private static let rowsPerBatch = 5_000
    private static let pageLength = 5_000
    /// How many rows of cardholders and passes an entry carries on.
    private static let carriedPerEntry = 1_000
    /// How often the closing is tried if servers add seals at the same time.
    private static let attempts = 5

    private let store: Store
    private let seals: AuditSeals
    private let clock: WallClock

    package init(store: Store, seals: AuditSeals, clock: WallClock) {
        self.store = store
        self.seals = seals
        self.clock = clock
    }

    /// The part up to the last seal before a time.
    ///
    /// - Returns: nil if no seal before that time is still open.
    package func part(before time: Timestamp) async throws(StoreError) -> Part? {
        let earlier = try await store.newestAuditClosing()
        var ends = Dictionary((earlier?.coveredHeads ?? []).map { ($0.chainId, $0) }) { $1 }
        var last: AuditSealRecord?
        reading: while true {
            let after = last?.number ?? earlier?.closed?.number ?? 0
            let seals = try await store.auditSeals(after: after, limit: Self.pageLength)
            for seal in seals {
                guard seal.sealedAt < time else { break reading }
                last = seal
                guard seal.kind != .closing else { continue }
                for head in seal.coveredHeads ?? [] { ends[head.chainId] = head }
            }
            guard !seals.isEmpty else { break }
        }
        return last.map { last in
            Part(
                closed: last.mark,
                ends: ends.values.sorted { $0.chainId < $1.chainId })
        }
    }

    /// Adds the closing seal, after entries that say how rows of cardholders and passes have ended in the part. It removes nothing
    /// yet. The trail must have been verified.
    ///
    /// - Parameters:
    ///   - history: what the part says about rows.
    ///   - acceptsChanges: whether rows can have been changed without an entry. That is not known afterwards.
    /// - Returns: nil if another server added a seal first, at each attempt.
    /// - Throws: ``ChangedRows``.
    package func close(_ part: Part, rows history: RowHistory, acceptsChanges: Bool) async throws -> AuditSealRecord? {
        let changed = history.brokenRows
        guard changed == 0 || acceptsChanges else { throw ChangedRows(count: changed) }
        let carried = try await carry(history.endedRows)
        let note = "closed up to seal \(part.closed.number)" + (carried.map { "; \($0)" } ?? "")
        for _ in 0..<Self.attempts {
            if let seal = try await seals.close(upTo: part.closed, ends: part.ends, note: note) { return seal }
        }
        return nil
    }

    /// Adds entries that say how rows have ended in what is closed. They count together with the closing seal whose note names them.
    ///
    /// - Returns: the name; nil if there are no rows.
    private func carry(_ rows: [RowChange]) async throws(StoreError) -> String? {
        guard !rows.isEmpty else { return nil }
        let entries = stride(from: 0, to: rows.count, by: Self.carriedPerEntry).map { start in
            rows[start..<min(start + Self.carriedPerEntry, rows.count)].flatMap(\.bytes)
        }
        let digest = entries.reduce([]) { SHA256.hash($0 + $1) }
        let name = "rows \(Hex.encode(digest))"
        for entry in entries { try await store.carryRows(entry, detail: name, now: clock.now()) }
        return name
    }

    /// Removes the closed entries. After an interruption, the next call goes on.
    ///
    /// - Returns: how many entries were removed.
    package func removeClosed() async throws(StoreError) -> Int {
        guard let closing = try await store.newestAuditClosing(), let closed = closing.closed else { return 0 }
        let ends = closing.coveredHeads ?? []
        var total = 0
        while true {
            let count = try await store.removeClosedEntries(upTo: ends, limit: Self.rowsPerBatch)
            total += count
            guard count >= Self.rowsPerBatch else { break }
        }
        while try await store.removeClosedSeals(upTo: closed.number, limit: Self.rowsPerBatch) >= Self.rowsPerBatch {}
        return total
    }
}

/// Rows of cardholders or passes were changed without an entry, according to the part that is to be closed.
package struct ChangedRows: Error, CustomStringConvertible {
    let count: Int

    package var description: String {
        "\(count) rows of cardholders or passes were changed without an entry: see 'card-companion audit verify --cardholders'"
    }
}
