package import Administration
package import CardCompanion
package import CardCompanionModel
internal import CardCompanionStore

/// `bank add`.
package struct AddBank: Change {
    package static let command = "bank add"

    let id: Identifier
    let settings: BankSettings

    package init(id: Identifier, settings: BankSettings) {
        self.id = id
        self.settings = settings
    }

    package var bankId: Identifier? { id }
    package var subject: String? { nil }

    private var policy: BankPolicy { BankPolicy(id, settings, .active) }

    package func details(in installation: Installation) async throws -> [String] {
        policy.leftOutLines
    }

    /// The settings that are not the defaults.
    package func effect(at now: Timestamp) -> [String] {
        policy.recordedDifferences(
            from: BankPolicy(id, BankSettings(name: "", programme: "", scheme: settings.scheme), .active).text)
    }

    package func objects(in installation: Installation) async throws -> [InventoryObject] { [InventoryObject(policy)] }

    package func requirePossible(in installation: Installation) async throws {
        try settings.validate()
        try await installation.requireDefinedPINKey(of: settings, id)
        guard try await installation.store.bank(id: id) == nil else { throw isThere }
    }

    private var isThere: CommandError {
        .refused("there is already a bank '\(id)': change it with 'card-companion bank set'")
    }

    package func apply(in installation: Installation, isApproved: Bool) async throws -> Shown {
        // Whoever has proposed it can have used another program.
        try settings.validate()
        try await installation.requireDefinedPINKey(of: settings, id)
        let isNew = try await installation.store.insertBank(
            id: id, settings: settings, approved: isApproved ? policy.text : nil, now: installation.clock.now())
        guard isNew else { throw isThere }
        return BankReport(try await installation.bank(id)).shown
    }
}

/// `bank set`.
package struct SetBank: Change {
    package static let command = "bank set"

    let id: Identifier
    /// The settings that the operator saw.
    let before: String
    let settings: BankSettings
    let status: Activity

    package init(id: Identifier, before: String, settings: BankSettings, status: Activity) {
        self.id = id
        self.before = before
        self.settings = settings
        self.status = status
    }

    package var bankId: Identifier? { id }
    package var subject: String? { nil }

    private var policy: BankPolicy { BankPolicy(id, settings, status) }

    /// The lines that change, compared with what two operators have approved. What the database has can be forged.
    package func details(in installation: Installation) async throws -> [String] {
        guard let approved = try await installation.approvedSettings(of: id) else {
            return ["two operators have approved nothing of this bank: all its settings are new"] + policy.leftOutLines
        }
        return policy.differences(from: approved) + policy.leftOutLines
    }

    package func effect(at now: Timestamp) -> [String] { policy.recordedDifferences(from: before) }

    /// What is only tightened needs no second operator.
    package func needsApproval(in installation: Installation) async throws -> Bool {
        guard !policy.isWithin(before) else { return false }
        guard let approved = try await installation.bank(id).approvedSettings else { return true }
        return !policy.isWithin(approved)
    }

    /// A bank can be disabled without the vault.
    package var isEmergency: Bool { status == .disabled }

    package func requirePossible(in installation: Installation) async throws {
        try settings.validate()
        let bank = try await installation.bank(id)
        guard BankPolicy(bank).text == before else { throw Self.hasChanged }
        try await requireDefinedPINKey(of: bank, in: installation)
    }

    /// A key that was disabled since it was named is no reason against another setting.
    private func requireDefinedPINKey(of bank: BankRecord, in installation: Installation) async throws {
        guard settings.definedPINKey != bank.settings.definedPINKey else { return }
        try await installation.requireDefinedPINKey(of: settings, id)
    }

    private static let hasChanged = CommandError.refused("another command has changed the bank: run the command again")

    package func objects(in installation: Installation) async throws -> [InventoryObject] { [InventoryObject(policy)] }

    package func apply(in installation: Installation, isApproved: Bool) async throws -> Shown {
        try settings.validate()
        let bank = try await installation.bank(id)
        guard BankPolicy(bank).text == before else { throw Self.hasChanged }
        try await requireDefinedPINKey(of: bank, in: installation)
        let isWritten = try await installation.store.updateBank(
            id: id, settings: settings, status: status, approved: isApproved ? policy.text : nil,
            revision: bank.revision)
        guard isWritten else { throw Self.hasChanged }
        return BankReport(try await installation.bank(id)).shown
    }
}

/// `bank remove`.
package struct RemoveBank: Change {
    package static let command = "bank remove"
    /// How many rows are removed in one transaction.
    private static let rowsPerBatch = 5_000

    let id: Identifier

    package init(id: Identifier) {
        self.id = id
    }

    package var bankId: Identifier? { id }
    package var subject: String? { nil }

    package func details(in installation: Installation) async throws -> [String] {
        ["all cardholders, keys, certificates and events of the bank are removed permanently"]
    }

    /// With the first rows: old ones of a bank of this name that somebody puts back do not count.
    package func inventoryChange(
        in installation: Installation, approvalId: String?
    ) async throws -> InventoryChange {
        var change = InventoryChange()
        change.removeBank(id)
        return change
    }

    package func requirePossible(in installation: Installation) async throws {
        guard try await installation.bank(id).status == .disabled else {
            throw CommandError.refused(
                "bank '\(id)' is not disabled: run 'card-companion bank set \(id) --status DISABLED' first")
        }
    }

    package func apply(in installation: Installation, isApproved: Bool) async throws -> Shown {
        try await requirePossible(in: installation)
        var counts: [String: Int] = [:]
        var progress = ProgressBar(total: nil)
        var total = 0
        func removeAll() async throws {
            for table in BankTable.allCases {
                var count: Int
                repeat {
                    count = try await installation.store.removeRows(
                        of: table, bankId: id, limit: Self.rowsPerBatch)
                    counts[table.name, default: 0] += count
                    total += count
                    progress.update(done: total, count: total)
                } while count == Self.rowsPerBatch
            }
        }
        try await removeAll()
        guard try await installation.store.removeBank(id: id) else {
            throw CommandError.refused(
                "bank '\(id)' was enabled again during the removal: what was already removed is lost")
        }
        // Without the bank nothing new is written. What an import that was under way has written meanwhile goes, too.
        try await removeAll()
        progress.finish()
        let cardholders = counts[BankTable.cardholder.name] ?? 0
        return Shown(
            text: "removed bank '\(id)' with \(cardholders) cardholders",
            json: Report(bank: id.text, removedRows: counts))
    }

    private struct Report: Encodable {
        let bank: String
        /// By table.
        let removedRows: [String: Int]
    }
}

extension Installation {
    /// Makes sure that defined PINs can be sent to the bank under the key that its settings name.
    ///
    /// - Throws: `CommandError` if it has no such key, or one that cannot do it.
    fileprivate func requireDefinedPINKey(of settings: BankSettings, _ id: Identifier) async throws {
        guard let label = settings.definedPINKey else { return }
        guard try await store.bankKey(bankId: id, label: label)?.makesPINBlocks == true else {
            throw CommandError.refused(
                "--defined-pin-key: the bank has no active key '\(label)' of usage pin-encryption, algorithm tdes and direction "
                    + "encrypt or both. Import one with 'card-companion key import' when the bank is there, and then name it with "
                    + "'card-companion bank set'")
        }
    }
}

extension BankPolicy {
    /// The objects that operators sign name all other settings.
    fileprivate var leftOutLines: [String] { leftOut.map { "\($0), the default, which is signed by leaving it out" } }
}
