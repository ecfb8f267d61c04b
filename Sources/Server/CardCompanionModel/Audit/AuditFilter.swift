/// Which entries of the audit trail are shown.
package struct AuditFilter: Sendable {
    package var from: Timestamp?
    package var to: Timestamp?
    package var bankId: Identifier?
    package var operation: String?
    /// The pseudonyms of a cardholder, under each key.
    package var subjects: [[UInt8]]?

    package init(
        from: Timestamp? = nil, to: Timestamp? = nil, bankId: Identifier? = nil, operation: String? = nil,
        subjects: [[UInt8]]? = nil
    ) {
        self.from = from
        self.to = to
        self.bankId = bankId
        self.operation = operation
        self.subjects = subjects
    }
}
