package import CardCompanionModel
package import CardCompanionStore
package import KeyVault
internal import SecureMemory
package import StrictJSON

/// What a bank's back-end reports of a defined PIN: that the issuer's host has it, or that this has failed (protocol, section 3).
package struct DefinedPINReports: Sendable {
    package enum Outcome: Sendable {
        case noCardholder
        /// The event is not that of the cardholder's present PIN.
        case otherPIN
        /// The cardholder's version, and what GET shows.
        case taken(version: Int64, DefinedPINState)
    }

    private static let event = "event"
    private static let state = "state"
    private static let reason = "reason"

    private let store: Store
    private let keyring: Keyring
    private let clock: WallClock

    package init(store: Store, keyring: Keyring, clock: WallClock) {
        self.store = store
        self.keyring = keyring
        self.clock = clock
    }

    /// Takes a report. The last one counts, and the same one again changes nothing.
    ///
    /// - Throws: ``ProvisioningRefusal`` with everything that is wrong, `StoreError`, `KeyVaultError`.
    package func take(
        _ body: borrowing JSONText, bankId: Identifier, uniqueId text: String, by keyId: String
    ) async throws -> Outcome {
        guard let uniqueId = Identifier(text) else { return .noCardholder }
        var problems: [ProvisioningError] = []
        let event = body.string(Self.event)
        if event.map(DefinedPINEvent.isId) != true {
            problems.append(ProvisioningError(Self.event, "must be the id of an event pin.defined"))
        }
        let stage = body.string(Self.state).flatMap(DefinedPINStage.init(rawValue:))
        if stage.map(DefinedPINStage.reported.contains) != true {
            let names = DefinedPINStage.reported.map(\.rawValue).joined(separator: ", ")
            problems.append(ProvisioningError(Self.state, "must be one of \(names)"))
        }
        let reason = Self.readReason(body, of: stage, &problems)
        guard problems.isEmpty, let event, let stage else {
            throw ProvisioningRefusal(uniqueId: uniqueId, problems: problems)
        }
        let note = try AuditNote.backEnd(keyId: keyId, bankId: bankId, uniqueId: uniqueId, keyring: keyring)
        let report = try await store.reportChosenPIN(
            bankId: bankId, uniqueId: uniqueId, event: event, stage: stage, reason: reason, audit: note,
            now: clock.now())
        switch report {
        case .noCardholder: return .noCardholder
        case .otherPIN: return .otherPIN
        case .taken(let version, let at):
            return .taken(
                version: version, DefinedPINState(event: event, stage: stage, reason: reason, at: at))
        }
    }

    private static func readReason(
        _ body: borrowing JSONText, of stage: DefinedPINStage?, _ problems: inout [ProvisioningError]
    ) -> String? {
        guard !body.isMissing(reason) else { return nil }
        let text = body.string(reason)
        problems += DefinedPINReason.problems(of: text, stage: stage).map { ProvisioningError(reason, $0) }
        return text
    }
}
