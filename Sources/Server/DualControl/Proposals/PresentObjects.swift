package import Administration
package import CardCompanion
internal import CardCompanionModel
internal import CardCompanionStore
internal import KeyVault

extension Installation {
    /// Everything that is active. Without dual control that is what servers accept.
    ///
    /// - Parameter approvedSettings: whether it has what operators have approved of a bank's settings, and not the present ones:
    ///   under dual control servers hold a bank to that, also if it was tightened since.
    private func activeObjects(approvedSettings: Bool) async throws -> [ApprovedObject] {
        var objects: [ApprovedObject] = []
        if let list = try await store.trustList(scope: nil) {
            objects.append(ApprovedObject(trustRoot: list.root, scope: nil))
        }
        let banks = try await store.banks()
        guard !banks.isEmpty else { return objects }
        return try await withKeyring { keyring in
            for bank in banks {
                let settings = approvedSettings ? bank.approvedSettings : BankPolicy(bank).text
                if let settings { objects.append(ApprovedObject(settings: settings, of: bank.id)) }
                objects += try await items(of: bank.id, keyring).filter { $0.status == .active }.compactMap(\.object)
            }
            return objects
        }
    }

    /// What servers accept now. Under dual control that is what two operators have approved; otherwise everything that is active.
    func presentObjects() async throws -> [ApprovedObject] {
        guard let roster = try await operators() else { return [] }
        let objects = try await activeObjects(approvedSettings: roster.isDual)
        guard roster.isDual else { return objects }
        let approved = try await approved(objects)
        for object in objects where !approved.contains(object) {
            note("  not approved, and still ignored: \(ClientText.printable(object.name))")
        }
        return objects.filter { approved.contains($0) }
    }

    /// What is active but ignored, because two operators have not approved it; nil without dual control.
    package func unapprovedObjects() async throws -> [ApprovedObject]? {
        // Without an approval nothing can have switched dual control on, and the vault need not be opened.
        guard try await store.hasApprovals(), try await operators()?.isDual == true else { return nil }
        var objects = try await activeObjects(approvedSettings: true)
        for bank in try await store.banks() where !(bank.approvedSettings.map(BankPolicy(bank).isWithin) ?? false) {
            objects.append(ApprovedObject(BankPolicy(bank)))
        }
        let approved = try await approved(objects)
        return objects.filter { !approved.contains($0) }
    }

    /// Everything of a bank that can have an approval.
    func approvableObjects(of bankId: Identifier) async throws -> [ApprovedObject] {
        guard try await operators() != nil else { return [] }
        let settings = try await bank(bankId).approvedSettings.map { ApprovedObject(settings: $0, of: bankId) }
        return try await withKeyring { try await items(of: bankId, $0) }.flatMap(\.approvable)
            + (settings.map { [$0] } ?? [])
    }

    /// What two operators have approved of a bank's settings; nil if that is nothing.
    func approvedSettings(of bankId: Identifier) async throws -> String? {
        guard let text = try await bank(bankId).approvedSettings else { return nil }
        return try await approved([ApprovedObject(settings: text, of: bankId)]).isEmpty ? nil : text
    }

    private func items(of bankId: Identifier, _ keyring: Keyring) async throws -> [BankItem] {
        var items: [BankItem] = []
        for kind in Self.kinds { items += try await kind.items(of: bankId, in: store, keyring) }
        if let webhook = try await store.webhook(bankId: bankId) {
            items.append(BankItem(name: webhook.url, status: webhook.status, object: ApprovedObject(webhook)))
        }
        if let list = try await store.trustList(scope: bankId) {
            let root = ApprovedObject(trustRoot: list.root, scope: bankId)
            items.append(BankItem(name: "trust list", status: .active, object: root))
        }
        return items
    }

    private static let kinds: [any BankItems.Type] = [
        BankKeys.self, Certificates.self, IssuerKeys.self, DocumentClients.self,
    ]

    /// Notes at each bank what was approved of its settings, and takes the approvals of everything else away.
    ///
    /// - Parameter objects: what two operators have just signed.
    func approvePresentObjects(_ objects: [ApprovedObject]) async throws {
        for bank in try await store.banks() {
            let policy = BankPolicy(bank)
            // What was tightened since keeps the text that was approved.
            guard bank.approvedSettings.map({ !objects.contains(ApprovedObject(settings: $0, of: bank.id)) }) ?? true,
                objects.contains(ApprovedObject(policy))
            else { continue }
            let isWritten = try await store.updateBank(
                id: bank.id, settings: bank.settings, status: bank.status, approved: policy.text,
                revision: bank.revision)
            guard isWritten else {
                throw CommandError.refused("another command has just changed bank '\(bank.id)': try again")
            }
        }
        try await store.deleteApprovals(exceptOfObjects: objects.map(\.digest))
    }
}
