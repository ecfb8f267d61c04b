package import CardCompanion
package import CardCompanionModel
package import CardCompanionStore
package import KeyVault

/// A bank's keys for signed calls.
package enum IssuerKeys: BankItems {
    package static let command = "issuer-key"
    package static let noun = "key"
    package static let nameMember = "keyId"
    package static let inventoryKinds: [InventoryKind] = [.issuerKey]

    package static func set(
        _ name: String, of bankId: Identifier, to status: Activity, in store: Store
    ) async throws -> Bool {
        try await store.setIssuerKey(bankId: bankId, keyId: name, status: status)
    }

    package static func items(of bankId: Identifier, in store: Store, _ keyring: Keyring) async throws -> [BankItem] {
        try await store.issuerKeys(bankId: bankId).map {
            BankItem(name: $0.keyId, status: $0.status, object: try? InventoryObject($0, keyring: keyring))
        }
    }
}
