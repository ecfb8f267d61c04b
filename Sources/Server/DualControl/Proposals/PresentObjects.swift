package import Administration
package import CardCompanion
internal import CardCompanionModel
internal import CardCompanionStore
internal import KeyVault

extension Installation {
    /// Everything that is active in the database, whether servers accept it or not.
    ///
    /// - Parameter approvedSettings: whether it has what operators have approved of a bank's settings, and not the present ones:
    ///   under dual control servers hold a bank to that, also if it was tightened since.
    private func activeObjects(approvedSettings: Bool) async throws -> [InventoryObject] {
        let banks = try await store.banks()
        return try await withKeyring { keyring in
            var objects = try await store.trustObjects(scope: nil)
            for bank in banks {
                let settings = InventoryObject(BankPolicy(bank))
                let approved = bank.approvedSettings.map { InventoryObject(approvedSettings: $0, of: bank.id) }
                objects += try await store.activeObjects(of: bank.id, keyring).compactMap { object in
                    approvedSettings && object == settings ? approved : object
                }
            }
            return objects.filter(\.inventoryName.kind.canBeApproved)
        }
    }

    /// What servers accept now: what is in the inventory and, under dual control, what two operators have approved.
    func presentObjects() async throws -> [InventoryObject] {
        guard let roster = try await operators() else { return [] }
        let objects = try await activeObjects(approvedSettings: roster.isDual)
        let accepted = try await accepted(objects)
        for object in objects where !accepted.contains(object) {
            note(
                "  \(roster.isDual ? "not approved" : "not in the inventory"), and still ignored: "
                    + ClientText.printable(object.name))
        }
        return objects.filter { accepted.contains($0) }
    }

    /// What is active in the database, but ignored by servers; none if there is no inventory yet.
    package func ignoredObjects() async throws -> [InventoryObject] {
        guard try await inventory() != nil else { return [] }
        let objects = try await activeObjects(approvedSettings: false)
        guard try await operators()?.isDual == true else {
            let accepted = try await accepted(objects)
            return objects.filter { !accepted.contains($0) }
        }
        // Servers hold present settings to approved ones.
        let others = objects.filter { $0.inventoryName.kind != .settings }
        let accepted = try await accepted(others)
        return try await ignoredSettings() + others.filter { !accepted.contains($0) }
    }

    /// Under dual control: the settings that are not in the inventory, or neither approved nor tighter than what was approved.
    private func ignoredSettings() async throws -> [InventoryObject] {
        var ignored: [InventoryObject] = []
        for bank in try await store.banks() {
            let policy = BankPolicy(bank)
            let isWithin = try await approvedSettings(of: bank.id).map(policy.isWithin) ?? false
            let present = InventoryObject(policy)
            let isListed = try await isListed(present)
            if !isWithin || !isListed { ignored.append(present) }
        }
        return ignored
    }

    private func isListed(_ object: InventoryObject) async throws -> Bool {
        try await withDataKeys { try await !$0.listed([object]).isEmpty }
    }

    /// What two operators have approved of a bank's settings; nil if that is nothing.
    func approvedSettings(of bankId: Identifier) async throws -> String? {
        guard let text = try await bank(bankId).approvedSettings else { return nil }
        return try await accepted([InventoryObject(approvedSettings: text, of: bankId)]).isEmpty ? nil : text
    }

    /// Notes at each bank what was approved of its settings.
    ///
    /// - Parameter objects: what two operators have just signed.
    func approvePresentObjects(_ objects: [InventoryObject]) async throws {
        let digests = Set(objects.map(\.digest))
        for bank in try await store.banks() {
            let policy = BankPolicy(bank)
            // What was tightened since keeps the text that was approved.
            guard
                bank.approvedSettings.map({ !digests.contains(InventoryObject(settings: $0, of: bank.id).digest) })
                    ?? true,
                digests.contains(InventoryObject(policy).digest)
            else { continue }
            let isWritten = try await store.updateBank(
                id: bank.id, settings: bank.settings, status: bank.status, approved: policy.text,
                revision: bank.revision)
            guard isWritten else {
                throw CommandError.refused("another command has just changed bank '\(bank.id)': try again")
            }
        }
    }
}
