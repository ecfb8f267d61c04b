package import CardCompanion
package import CardCompanionModel
package import CardCompanionStore
package import KeyVault

/// A bank's document clients.
package enum DocumentClients: BankItems {
    package static let command = "document-client"
    package static let noun = "document client"
    package static let nameMember = "clientId"
    package static let inventoryKinds: [InventoryKind] = [.documentClient]

    package static func set(
        _ name: String, of bankId: Identifier, to status: Activity, in store: Store
    ) async throws -> Bool {
        try await store.setDocumentClient(bankId: bankId, id: name, status: status)
    }

    package static func items(of bankId: Identifier, in store: Store, _ keyring: Keyring) async throws -> [BankItem] {
        try await store.documentClients(bankId: bankId).map {
            BankItem(name: $0.clientId, status: $0.status, object: InventoryObject($0))
        }
    }
}
