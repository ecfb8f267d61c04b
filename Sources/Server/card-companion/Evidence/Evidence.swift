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
    let register: [RegisterEntry]
    let banks: [BankReport]
    let doctor: FindingsReport
    let audit: AuditReport

    /// What the database and the vault say.
    ///
    /// - Parameter findings: those of 'doctor'.
    init(_ installation: Installation, _ settings: ServerSettings, findings: [Finding]) async throws {
        madeAt = installation.clock.now().text
        madeBy = AdminAction.actor
        version = Release.version
        inventory = try await installation.inventory()?.mark.text
        register = try await installation.register(settings)
        banks = try await installation.store.banks().map { BankReport($0) }
        doctor = FindingsReport(findings: findings)
        audit = try await installation.auditReport()
    }
}
