import CardCompanion
import CardCompanionStore
import KeyVault

extension Installation {
    /// Everything that servers need approvals for, as it is now: what is disabled is left out.
    func presentObjects() async throws -> [ApprovedObject] {
        let banks = try await store.banks()
        guard !banks.isEmpty else { return [] }
        return try await withKeyring { keyring in
            var objects: [ApprovedObject] = []
            for bank in banks {
                objects.append(ApprovedObject(BankPolicy(bank)))
                objects += try await self.objects(of: bank.id, keyring)
            }
            return objects
        }
    }

    private func objects(of bankId: Identifier, _ keyring: Keyring) async throws -> [ApprovedObject] {
        var objects: [ApprovedObject] = []
        for key in try await store.hmacKeys(bankId: bankId) where key.status == .active {
            objects.append(try ApprovedObject(key, of: bankId, keyring: keyring))
        }
        for key in try await store.bankKeys(bankId: bankId) where key.status == .active {
            objects.append(try ApprovedObject(key, of: bankId, keyring: keyring))
        }
        for certificate in try await store.certificates(bankId: bankId) where certificate.status == .active {
            objects.append(ApprovedObject(certificate, of: bankId))
        }
        for key in try await store.issuerKeys(bankId: bankId) where key.status == .active {
            objects.append(try ApprovedObject(key, keyring: keyring))
        }
        if let webhook = try await store.webhook(bankId: bankId), webhook.status == .active {
            objects.append(ApprovedObject(webhook))
        }
        return objects
    }

    /// Notes at each bank that its present settings are the approved ones.
    func markSettingsAsApproved() async throws {
        for bank in try await store.banks() {
            let isWritten = try await store.updateBank(
                id: bank.id, settings: bank.settings, status: bank.status, approved: BankPolicy(bank).text,
                revision: bank.revision)
            guard isWritten else {
                throw CommandError.refused("another command has just changed bank '\(bank.id)': try again")
            }
        }
    }
}
