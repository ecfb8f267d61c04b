import CardCompanion
import CardCompanionModel
import CardCompanionServer
import CardCompanionStore
import KeyVault

extension Installation {
    /// What servers accept now. Under dual control that is what two operators have approved; otherwise everything that is active.
    func presentObjects() async throws -> [ApprovedObject] {
        let banks = try await store.banks()
        guard !banks.isEmpty, let roster = try await operators() else { return [] }
        let objects = try await withKeyring { keyring in
            var objects: [ApprovedObject] = []
            if let list = try await store.trustList(scope: nil) {
                objects.append(ApprovedObject(trustRoot: list.root, scope: nil))
            }
            for bank in banks {
                // Under dual control servers hold a bank to what was approved, also if it was tightened since.
                let approved = roster.isDual ? bank.approvedSettings : BankPolicy(bank).text
                if let approved { objects.append(ApprovedObject(settings: approved, of: bank.id)) }
                objects += try await self.objects(of: bank.id, keyring)
            }
            return objects
        }
        guard roster.isDual else { return objects }
        var verified: [String: Set<[UInt8]>] = [:]
        let approved = try await roster.approvedDigests(
            of: objects.map(\.digest), in: store, verified: &verified)
        for object in objects where !approved.contains(object.digest) {
            Terminal.note("  not approved, and still ignored: \(ClientText.printable(object.name))")
        }
        return objects.filter { approved.contains($0.digest) }
    }

    /// Everything of a bank that servers could accept, and what was approved of its settings.
    func approvedObjects(of bankId: Identifier) async throws -> [ApprovedObject] {
        guard try await operators() != nil else { return [] }
        let settings = try await bank(bankId).approvedSettings.map { ApprovedObject(settings: $0, of: bankId) }
        return try await withKeyring { try await self.objects(of: bankId, $0) } + (settings.map { [$0] } ?? [])
    }

    /// A key that does not open is left out: no server can use it.
    private func objects(of bankId: Identifier, _ keyring: Keyring) async throws -> [ApprovedObject] {
        var objects: [ApprovedObject?] = []
        for key in try await store.hmacKeys(bankId: bankId) where key.status == .active {
            objects.append(try? ApprovedObject(key, of: bankId, keyring: keyring))
        }
        for key in try await store.bankKeys(bankId: bankId) where key.status == .active {
            objects.append(try? ApprovedObject(key, of: bankId, keyring: keyring))
        }
        for certificate in try await store.certificates(bankId: bankId) where certificate.status == .active {
            objects.append(ApprovedObject(certificate, of: bankId))
        }
        for key in try await store.issuerKeys(bankId: bankId) where key.status == .active {
            objects.append(try? ApprovedObject(key, keyring: keyring))
        }
        if let webhook = try await store.webhook(bankId: bankId), webhook.status == .active {
            objects.append(ApprovedObject(webhook))
        }
        for client in try await store.documentClients(bankId: bankId) where client.status == .active {
            objects.append(ApprovedObject(client))
        }
        if let list = try await store.trustList(scope: bankId) {
            objects.append(ApprovedObject(trustRoot: list.root, scope: bankId))
        }
        return objects.compactMap(\.self)
    }

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
