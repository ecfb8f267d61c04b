internal import CardCompanion
package import CardCompanionModel
internal import Foundation
package import Logging

/// A command that changes something: its lines in the audit trail say who ran it, where, what it was, and how it
/// ended.
package struct AdminAction: Sendable {
    /// The command without its options: `key disable`.
    let command: String
    let bankId: Identifier?
    /// What it is about: the name of a key or a certificate. Never a secret, and never a cardholder.
    let subject: String?
    /// The cardholder that it is about: named in the log, but not in the audit trail of the database, which has a pseudonym.
    let cardholder: Identifier?
    /// The operators who have signed it.
    let operators: [String]

    package init(
        command: String, bankId: Identifier? = nil, subject: String? = nil, cardholder: Identifier? = nil,
        operators: [String] = []
    ) {
        self.command = command
        self.bankId = bankId
        self.subject = subject
        self.cardholder = cardholder
        self.operators = operators
    }

    /// Runs the command. Writes a line before, because the command can be killed, and one after it, whether it succeeds or
    /// not.
    ///
    /// Each write of the command to the database gets an entry of the audit trail, in the write's transaction.
    package func recorded<Result>(in logger: Logger, _ run: () async throws -> Result) async throws -> Result {
        write(outcome: "begun", to: logger)
        let audit = CommandAudit(
            operation: command, bankId: bankId, actor: ([Self.actor] + operators).joined(separator: " "),
            detail: subject)
        do {
            let result = try await AuditNote.$ofCommand.withValue(audit) { try await run() }
            write(outcome: "done", to: logger)
            return result
        } catch {
            // The change may have been made all the same, for example if the connection broke before the answer came.
            write(outcome: "failed", to: logger)
            throw error
        }
    }

    /// Who runs this program: `operator:USER@HOST`.
    package static var actor: String {
        let sudo = ProcessInfo.processInfo.environment["SUDO_USER"].map { "\(ClientText.quoted($0)) as " } ?? ""
        return "operator:\(sudo)\(NSUserName())@\(ProcessInfo.processInfo.hostName)"
    }

    private func write(outcome: String, to logger: Logger) {
        var metadata: Logger.Metadata = [
            "operation": "\(command)", "outcome": "\(outcome)", "os_user": "\(ClientText.quoted(NSUserName()))",
            "host": "\(ClientText.quoted(ProcessInfo.processInfo.hostName))",
            "terminal": "\(ControllingTerminal.name.map { ClientText.quoted($0) } ?? "none")",
        ]
        if !operators.isEmpty { metadata["operators"] = "\(operators.joined(separator: " "))" }
        metadata["bank_id"] = bankId.map { "\(ClientText.quoted($0.text))" }
        metadata["subject"] = (subject ?? cardholder?.text).map { "\(ClientText.quoted($0, limit: Self.subjectLimit))" }
        // Sudo says who called it; a person with root's rights can change that.
        metadata["sudo_user"] = ProcessInfo.processInfo.environment["SUDO_USER"].map { "\(ClientText.quoted($0))" }
        logger.auditTrail.info("audit", metadata: metadata)
    }

    private static let subjectLimit = 200
}
