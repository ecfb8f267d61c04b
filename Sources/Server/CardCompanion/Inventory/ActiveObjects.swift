package import CardCompanionModel
package import CardCompanionStore
package import KeyVault

// What the database has of a bank, as the inventory lists it.

extension Store {
    /// Everything of a bank that is active. Keys that do not open, and settings that this program does not know, are left out.
    package func activeObjects(of bankId: Identifier, _ keyring: Keyring) async throws -> [InventoryObject] {
        var objects: [InventoryObject] = []
        if let bank = try? await bank(id: bankId) { objects.append(InventoryObject(BankPolicy(bank))) }
        objects += try await hmacKeys(bankId: bankId).filter { $0.status == .active }
            .compactMap { try? InventoryObject($0, of: bankId, keyring: keyring) }
        objects += try await bankKeys(bankId: bankId).filter { $0.status == .active }
            .compactMap { try? InventoryObject($0, of: bankId, keyring: keyring) }
        objects += try await certificates(bankId: bankId).filter { $0.status == .active }
            .map { InventoryObject($0, of: bankId) }
        objects += try await revocationListContents(bankId: bankId).map { InventoryObject($0, of: bankId) }
        objects += try await issuerKeys(bankId: bankId).filter { $0.status == .active }
            .compactMap { try? InventoryObject($0, keyring: keyring) }
        if let webhook = try await webhook(bankId: bankId), webhook.status == .active {
            objects.append(InventoryObject(webhook))
        }
        objects += try await documentClients(bankId: bankId).filter { $0.status == .active }.map { InventoryObject($0) }
        return objects + (try await trustObjects(scope: bankId))
    }

    /// The trust list of a bank, or of all banks, with its root and its CRLs.
    package func trustObjects(scope: Identifier?) async throws -> [InventoryObject] {
        guard let list = try await trustList(scope: scope) else { return [] }
        return [InventoryObject(trustRoot: list.root, scope: scope), InventoryObject(list)]
            + (try await trustRevocationLists(scope: scope).map { InventoryObject($0) })
    }
}

extension DataKeys {
    /// Those of the objects that the inventory has, with their entries.
    package func listed(_ objects: [InventoryObject]) async throws -> [InventoryObject: Inventory.Entry] {
        guard let newest = try await inventory.present(try await opened()) else { return [:] }
        var listed: [InventoryObject: Inventory.Entry] = [:]
        for object in objects {
            let part = if let bankId = object.bankId { try await inventory.bank(bankId, in: newest) } else { newest }
            if let entry = part?.entry(of: object) { listed[object] = entry }
        }
        return listed
    }

    /// What the inventory has of the banks, but the database does not have, or has disabled: `certificate '2027' of bank 'MYBANK'`.
    package func missingObjects() async throws -> [String] {
        let keyring = try await opened()
        guard let newest = try await inventory.present(keyring) else { return [] }
        var missing: [String] = []
        for bank in newest.banks {
            let present = Set(try await store.activeObjects(of: bank, keyring).map(\.inventoryName))
            let listed = try await inventory.bank(bank, in: newest)?.entries.keys.sorted() ?? []
            for name in listed where !present.contains(name) && name.kind != .approvedSettings {
                missing.append("\(name.kind.noun)\(name.name.isEmpty ? "" : " '\(name.name)'") of bank '\(bank)'")
            }
        }
        return missing
    }
}
