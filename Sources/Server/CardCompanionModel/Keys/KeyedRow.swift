/// A row in the order of a column's walk.
package struct KeyedRow: Sendable, Hashable {
    /// Empty for rows without a bank.
    package let bankId: String
    package let rowId: String

    package init(bankId: String, rowId: String) {
        self.bankId = bankId
        self.rowId = rowId
    }

    /// Before all rows.
    package static let start = KeyedRow(bankId: "", rowId: "")
}
