package import CardCompanionModel
package import CardCompanionStore

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
    /// How often the closing is tried if servers add seals at the same time.
    private static let attempts = 5

    private let store: Store
    private let seals: AuditSeals

    package init(store: Store, seals: AuditSeals) {
        self.store = store
        self.seals = seals
    }

    /// The part up to the last seal before a time. The trail must have been verified.
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

    /// Adds the closing seal. It removes nothing yet.
    ///
    /// - Returns: nil if another server added a seal first, at each attempt.
    package func close(_ part: Part, note: String) async throws -> AuditSealRecord? {
        for _ in 0..<Self.attempts {
            if let seal = try await seals.close(upTo: part.closed, ends: part.ends, note: note) { return seal }
        }
        return nil
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
