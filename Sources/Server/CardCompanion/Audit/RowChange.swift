package import CardCompanionModel
internal import Cryptography

/// A change of a row of cardholders or passes, as an entry has it (docs/audit.md). migrations/functions/row_change.sql makes it.
package struct RowChange: Sendable, Equatable {
    static let byteCount = 8 + 8 + 2 * digestByteCount
    private static let digestByteCount = 16

    package let rowId: Int64
    /// How many changes the row has had, with this one.
    package let changes: Int64
    /// The row's digest before the change; nil if the row was new.
    package let before: [UInt8]?
    /// The row's digest after it; nil if the row was gone.
    package let after: [UInt8]?

    package init(rowId: Int64, changes: Int64, before: [UInt8]?, after: [UInt8]?) {
        self.rowId = rowId
        self.changes = changes
        self.before = before
        self.after = after
    }

    fileprivate init(_ bytes: ArraySlice<UInt8>) {
        rowId = Int64(bigEndianBytes: bytes.prefix(8))
        changes = Int64(bigEndianBytes: bytes.dropFirst(8).prefix(8))
        before = Self.digest(bytes.dropFirst(16).prefix(Self.digestByteCount))
        after = Self.digest(bytes.suffix(Self.digestByteCount))
    }

    private static func digest(_ bytes: ArraySlice<UInt8>) -> [UInt8]? {
        bytes.contains { $0 != 0 } ? Array(bytes) : nil
    }

    var bytes: [UInt8] {
        let none = [UInt8](repeating: 0, count: Self.digestByteCount)
        return rowId.bigEndianBytes + changes.bigEndianBytes + (before ?? none) + (after ?? none)
    }
}

extension AuditEntryRecord {
    /// The outcome of an entry with rows whose earlier entries were closed (``AuditClosing``).
    package static let carriedOutcome = "audit.rows-carried"

    /// The rows that were changed.
    package var rowChanges: [RowChange] {
        let rows = rows ?? []
        return stride(from: 0, to: rows.count - rows.count % RowChange.byteCount, by: RowChange.byteCount).map {
            RowChange(rows[$0..<$0 + RowChange.byteCount])
        }
    }

    /// Whether its rows belong to what the entries say. Rows that a closing carried on count only with that closing: another
    /// attempt at it may have been interrupted.
    ///
    /// - Parameter closing: the newest one.
    func counts(with closing: AuditSealRecord?) -> Bool {
        guard outcome == Self.carriedOutcome else { return true }
        guard let detail, let closing else { return false }
        return closing.note.hasSuffix("; \(detail)")
    }
}
