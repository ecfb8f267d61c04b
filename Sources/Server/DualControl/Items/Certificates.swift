package import CardCompanion
package import CardCompanionModel
package import CardCompanionStore
package import KeyVault

/// A bank's certificates.
package enum Certificates: BankItems {
    package static let command = "certificate"
    package static let noun = "certificate"
    package static let nameMember = "alias"
    package static let inventoryKinds: [InventoryKind] = [.certificate]

    package static func set(
        _ name: String, of bankId: Identifier, to status: Activity, in store: Store
    ) async throws -> Bool {
        try await store.setCertificate(bankId: bankId, alias: name, status: status)
    }

    package static func items(of bankId: Identifier, in store: Store, _ keyring: Keyring) async throws -> [BankItem] {
        try await store.certificates(bankId: bankId).map { certificate in
            BankItem(
                name: certificate.alias, status: certificate.status, object: InventoryObject(certificate, of: bankId))
        }
    }
}
