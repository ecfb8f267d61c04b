/// A row of cardholders or passes, whose changes the audit trail has.
package struct AuditedRow: Sendable, Equatable {
    package enum Table: String, CaseIterable, Sendable, Encodable {
        case cardholder
        case pass = "identity_pass"
    }

    package let table: Table
    package let bankId: String
    package let uniqueId: String
    /// What the trail calls the row.
    package let rowId: Int64
    /// How many changes it has had.
    package let changes: Int64
    /// Of everything in it.
    package let digest: [UInt8]

    package init(
        table: Table, bankId: String, uniqueId: String, rowId: Int64, changes: Int64, digest: [UInt8]
    ) {
        self.table = table
        self.bankId = bankId
        self.uniqueId = uniqueId
        self.rowId = rowId
        self.changes = changes
        self.digest = digest
    }
}
