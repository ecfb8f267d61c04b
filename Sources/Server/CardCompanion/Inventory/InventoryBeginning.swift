internal import CardCompanionModel
package import CardCompanionStore
package import KeyVault
internal import Logging

// The first version of an inventory: what the database has at that time.

extension InventoryKeeper {
    /// Makes sure that there is an inventory. The first program that has the keys begins it.
    package func begin(_ keyring: Keyring) async throws {
        if try await present(keyring) == nil { _ = try await begun(keyring) }
    }

    /// Begins the inventory, unless another program is faster.
    func begun(_ keyring: Keyring) async throws -> Inventory {
        let banks = try await banks(keyring)
        let first = try await installation(banks)
        let written = try first.written(with: banks, keyring)
        if try await isInserted(written) {
            logger.notice("The inventory begins with what the database has", metadata: ["banks": "\(banks.count)"])
            return try await take(first, written.installation)
        }
        guard let newest = try await newest(keyring) else { return first }
        return newest
    }

    private func isInserted(_ first: NewInventory) async throws -> Bool {
        do {
            try await insert(first)
            return true
        } catch StoreError.conflict {
            return false
        }
    }

    private func banks(_ keyring: Keyring) async throws -> [Inventory] {
        var banks: [Inventory] = []
        for id in try await store.bankIds() {
            let objects = try await store.activeObjects(of: id, keyring)
            banks.append(Inventory(first: Self.entries(objects), of: id))
        }
        return banks
    }

    private func installation(_ banks: [Inventory]) async throws -> Inventory {
        var entries = Self.entries(try await store.trustObjects(scope: nil))
        for bank in banks {
            entries[Inventory.Name(.bank, bank.scope?.text ?? "")] = Inventory.Entry(bank.mark.text)
        }
        var keys = InventoryChange()
        try await keys.setKeys(of: store)
        return Inventory(first: keys.applied(to: entries, of: nil), of: nil)
    }

    private static func entries(_ objects: [InventoryObject]) -> [Inventory.Name: Inventory.Entry] {
        Dictionary(objects.map { ($0.inventoryName, Inventory.Entry($0.value)) }) { $1 }
    }
}

extension InventoryChange {
    /// Puts the keys of the installation in, as the database has them.
    package mutating func setKeys(of store: Store) async throws {
        for key in try await store.dataKeys() { set(key.id, Inventory.DataKeyEntry(key)) }
        for key in try await store.serverKeys() { set(key.keyId, Inventory.ServerKeyState(key)) }
        for key in try await store.masterKeys() {
            if key.kind != .recovery {
                setMasterKey(key.id, key.status)
            } else if key.status == .active {
                setRecoveryKey(key.id, replacing: nil)
            }
        }
    }
}
