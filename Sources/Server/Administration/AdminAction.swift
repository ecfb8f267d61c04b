internal import CardCompanion
package import CardCompanionModel
internal import Foundation
internal import Glibc
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
    /// What it changes, before and after: `retryLimit 3 -> 4`. Never a secret.
    let effect: [String]
    /// The operators who have signed it.
    let operators: [String]
    /// The approval that they have signed.
    let approvalId: String?

    package init(
        command: String, bankId: Identifier? = nil, subject: String? = nil, cardholder: Identifier? = nil,
        effect: [String] = [], operators: [String] = [], approvalId: String? = nil
    ) {
        self.command = command
        self.bankId = bankId
        self.subject = subject
        self.cardholder = cardholder
        self.effect = effect
        self.operators = operators
        self.approvalId = approvalId
    }

    /// Runs the command. Writes a line before, because the command can be killed, and one after it, whether it succeeds or
    /// not.
    ///
    /// Each write of the command to the database gets an entry of the audit trail, in the write's transaction.
    package func recorded<Result>(in logger: Logger, _ run: () async throws -> Result) async throws -> Result {
        write(outcome: "begun", to: logger)
        let audit = CommandAudit(
            operation: command, bankId: bankId, actor: ([Self.actor] + operators).joined(separator: " "),
            detail: detail)
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

    /// What it is about, what it changes, and under which approval.
    private var detail: String? {
        let parts = [subject] + effect + [approvalId.map { "approval \($0)" }]
        let text = parts.compactMap(\.self).joined(separator: "; ")
        return text.isEmpty ? nil : String(text.prefix(Self.detailLimit))
    }

    /// In characters.
    private static let detailLimit = 2_000

    /// Who runs this program: `operator:USER@HOST`.
    package static var actor: String {
        let (person, process) = (OperatingSystemUser.name, OperatingSystemUser.processName)
        let name = person == process ? process : "\(ClientText.quoted(person)) as \(process)"
        return "operator:\(name)@\(ProcessInfo.processInfo.hostName)"
    }

    private func write(outcome: String, to logger: Logger) {
        // At a terminal somebody has just typed the command, and sees how it ends. The log of a job, or a journal, is evidence.
        guard isatty(STDERR_FILENO) == 0 else { return }
        var metadata: Logger.Metadata = [
            "operation": "\(command)", "outcome": "\(outcome)", "os_user": "\(ClientText.quoted(NSUserName()))",
            "host": "\(ClientText.quoted(ProcessInfo.processInfo.hostName))",
            "terminal": "\(ControllingTerminal.name.map { ClientText.quoted($0) } ?? "none")",
        ]
        if !operators.isEmpty { metadata["operators"] = "\(operators.joined(separator: " "))" }
        metadata["bank_id"] = bankId.map { "\(ClientText.quoted($0.text))" }
        if !effect.isEmpty {
            metadata["effect"] = "\(ClientText.quoted(effect.joined(separator: "; "), limit: Self.detailLimit))"
        }
        metadata["approval"] = approvalId.map { "\($0)" }
        metadata["subject"] = (subject ?? cardholder?.text).map { "\(ClientText.quoted($0, limit: Self.subjectLimit))" }
        metadata["login_user"] = OperatingSystemUser.login.map { "\(ClientText.quoted($0))" }
        // Sudo says who called it. Any shell can set that.
        metadata["sudo_user"] = ProcessInfo.processInfo.environment["SUDO_USER"].map { "\(ClientText.quoted($0))" }
        logger.auditTrail.info("audit", metadata: metadata)
    }

    private static let subjectLimit = 200
}
