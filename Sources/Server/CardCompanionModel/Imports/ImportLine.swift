/// A line of an import, ready to be written.
package struct ImportLine: Sendable {
    /// The first line is 1.
    package let line: Int
    package let uniqueId: Identifier
    /// Nil if the line deletes the cardholder.
    package let change: CardholderChange?
    /// The cardholder's pseudonym in the audit trail.
    package let subject: [UInt8]
    /// Members that were ignored.
    package let unknownMembers: [String]

    package init(
        line: Int, uniqueId: Identifier, change: CardholderChange?, subject: [UInt8], unknownMembers: [String]
    ) {
        self.line = line
        self.uniqueId = uniqueId
        self.change = change
        self.subject = subject
        self.unknownMembers = unknownMembers
    }
}

/// The result of a line that was to be written.
package struct ImportedLine: Sendable {
    package let line: Int
    package let uniqueId: Identifier
    package let outcome: WriteOutcome
    /// Members that were ignored.
    package let unknownMembers: [String]

    package init(line: Int, uniqueId: Identifier, outcome: WriteOutcome, unknownMembers: [String]) {
        self.line = line
        self.uniqueId = uniqueId
        self.outcome = outcome
        self.unknownMembers = unknownMembers
    }
}
