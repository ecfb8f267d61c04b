package import CardCompanion
package import CardCompanionModel
package import CardCompanionStore
package import KeyVault

/// A bank's keys of all kinds.
package enum BankKeys: BankItems {
    package static let command = "key"
    package static let noun = "key"
    package static let nameMember = "label"
    package static let inventoryKinds: [InventoryKind] = [.hmacKey, .key]

    package static func set(
        _ name: String, of bankId: Identifier, to status: Activity, in store: Store
    ) async throws -> Bool {
        try await store.setKey(bankId: bankId, label: name, status: status)
    }

    package static func items(of bankId: Identifier, in store: Store, _ keyring: Keyring) async throws -> [BankItem] {
        let hmac = try await store.hmacKeys(bankId: bankId).map {
            BankItem(
                name: $0.label, status: $0.status, object: try? InventoryObject($0, of: bankId, keyring: keyring))
        }
        let others = try await store.bankKeys(bankId: bankId).map {
            BankItem(
                name: $0.label, status: $0.status, object: try? InventoryObject($0, of: bankId, keyring: keyring))
        }
        return hmac + others
    }
}
