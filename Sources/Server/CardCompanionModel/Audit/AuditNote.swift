/// What the audit trail says about an operation besides its outcome: who, and about which cardholder.
package struct AuditNote: Sendable {
    /// The operator's command that is running. Each of its writes gets an entry with it.
    @TaskLocal package static var ofCommand: CommandAudit?

    /// What is under way, and who has asked for it: a command, or a server's own work.
    package static var ofWork: (operation: String, actor: String) {
        ofCommand.map { ($0.operation, $0.actor) } ?? ("housekeeping", "server")
    }

    /// A keyed pseudonym of the cardholder; nil if the operation is about none.
    package let subject: [UInt8]?
    /// `app`, `key:NAME` for a back-end's key, or `operator:USER@HOST`.
    package let actor: String
    /// More about it, without anything secret.
    package let detail: String?

    package init(subject: [UInt8]?, actor: String, detail: String? = nil) {
        self.subject = subject
        self.actor = actor
        self.detail = detail
    }
}

/// A command that changes something, for the audit trail.
package struct CommandAudit: Sendable {
    /// Such as `key disable`.
    package let operation: String
    package let bankId: Identifier?
    /// `operator:USER@HOST`.
    package let actor: String
    /// What the command is about, such as the name of a key.
    package let detail: String?
    /// A keyed pseudonym of the cardholder that a write is about; nil if it is about none.
    package private(set) var subject: [UInt8]?

    package init(operation: String, bankId: Identifier?, actor: String, detail: String?) {
        self.operation = operation
        self.bankId = bankId
        self.actor = actor
        self.detail = detail
    }

    /// The same command, for a write about a cardholder.
    package func about(_ subject: [UInt8]) -> CommandAudit {
        var audit = self
        audit.subject = subject
        return audit
    }
}
