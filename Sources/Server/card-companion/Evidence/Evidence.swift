import Administration
import CardCompanion
import CardCompanionModel
import CardCompanionServer
import CardCompanionStore
import DualControl

/// What a bank shows its supervisor about an installation. It has no secret, and names no cardholder.
struct Evidence: Encodable, Sendable {
    let madeAt: String
    /// Who made it, and where.
    let madeBy: String
    let version: String
    /// The version of the inventory that servers rely on.
    let inventory: String?
    /// Whether changes need two operators.
    let dualControl: Bool
    let register: [RegisterEntry]
    let banks: [Bank]
    let doctor: FindingsReport
    let audit: AuditReport

    struct Bank: Encodable, Sendable {
        let settings: BankReport
        /// The operators who have approved the settings, or looser ones; none without dual control.
        let approvedBy: [String]
    }

    /// What the database and the vault say.
    ///
    /// - Parameter findings: those of 'doctor'.
    init(_ installation: Installation, _ settings: ServerSettings, findings: [Finding]) async throws {
        madeAt = installation.clock.now().text
        madeBy = AdminAction.actor
        version = Release.version
        inventory = try await installation.inventory()?.mark.text
        dualControl = try await installation.operators()?.isDual ?? false
        register = try await installation.register(settings)
        var banks: [Bank] = []
        for bank in try await installation.store.banks() {
            let approvers = try await Approvers(of: bank.id, in: installation)
            banks.append(
                Bank(settings: BankReport(bank), approvedBy: approvers.names([.approvedSettings, .settings], "")))
        }
        self.banks = banks
        doctor = FindingsReport(findings: findings)
        audit = try await installation.auditReport()
    }
}
