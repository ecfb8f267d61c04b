internal import CardCompanionModel
internal import CardCompanionStore
package import KeyVault
internal import SecureMemory

/// Makes, changes and recovers the master keys of an installation. Each step can be repeated after an interruption: what
/// exists is not made again.
extension DataKeys {
    /// Makes the first master key in the vault, and the data keys, if they are missing.
    ///
    /// - Returns: the master key's id.
    /// - Throws: `KeyVaultError`, `StoreError`.
    package func initialize() async throws -> String {
        let keys = try await WrappedDataKeys.read(from: store)
        guard keys.live.isEmpty else { return try await masterKey(of: keys).id }
        let masterKey = try await anyMasterKey(keys)
        _ = try await opened()
        return masterKey.id
    }

    /// Wraps all data keys with a master key of the vault. Servers use it when they are started with this vault.
    ///
    /// - Parameters:
    ///   - old: opens the data keys as they are wrapped now.
    ///   - keepsOld: whether the old master keys stay in use, for example in a second vault. Otherwise their wrappings are
    ///     removed when no running server uses them.
    /// - Returns: the master key's id.
    /// - Throws: ``RestoredVault`` if the old vault is from a backup that nobody has accepted: the new one would not know.
    package func rewrap(from old: DataKeys, keepsOld: Bool) async throws -> String {
        try await BackupCopy.refuse(old.vault)
        // Without data keys there is nothing to wrap, and opening would make the first ones.
        _ = try await old.masterKey(of: .read(from: store))
        let keyring = try await old.opened()
        let keys = try await old.counted(keyring)
        let oldKey = try await old.masterKey(of: keys)
        try await copyRecords(from: old.vault)
        let masterKey = try await anyMasterKey(keys)
        try await wrapAll(keys, except: keys.missing(under: oldKey.id).map(\.id), with: masterKey) {
            try await old.unwrap($0, keys, by: oldKey)
        }
        let replaced = keepsOld ? [] : try await masterKeyIds(keys, in: old.vault)
        try await use(masterKey, insteadOf: replaced, keyring)
        return masterKey.id
    }

    /// Makes a new master key in the same vault, and wraps all data keys with it. Running servers change to it by themselves.
    ///
    /// - Returns: the master key's id.
    /// - Throws: ``FileHasOneKey`` for a file.
    package func rotateMasterKey() async throws -> String {
        guard vault.kind == .token else { throw FileHasOneKey() }
        let keyring = try await opened()
        let keys = try await counted(keyring)
        let oldKey = try await self.masterKey(of: keys)
        // Disabled data keys that were lost with an earlier master key stay lost.
        let lost = keys.missing(under: oldKey.id).map(\.id)
        // If an interrupted rotation left a new key, that key is used.
        let unfinished = keys.masterKeys(of: .token).first {
            $0.status == .active && $0.name == vault.name
                && keys.missing(under: $0.id).contains { !lost.contains($0.id) }
        }
        var masterKey: (any MasterKey)?
        if let unfinished { masterKey = try await vault.masterKey(unfinished.id) }
        let new = if let masterKey { masterKey } else { try await addMasterKey() }
        try await wrapAll(keys, except: lost, with: new) { try await unwrap($0, keys, by: oldKey) }
        // Only the keys of this vault are replaced: a second vault keeps its key.
        try await use(new, insteadOf: try await masterKeyIds(keys, in: vault), keyring)
        return new.id
    }

    /// Wraps all data keys with a master key of the vault, after the old master key was lost.
    ///
    /// - Parameter components: of the recovery key, all of them.
    /// - Returns: the master key's id, how many data keys were recovered, and the ids of those that the recovery key has not
    ///   wrapped.
    /// - Throws: `WrongComponents`, ``NoRecoveryKey``, `KeyVaultError`.
    package func recover(
        with components: [RecoveryComponent]
    ) async throws -> (masterKeyId: String, count: Int, lost: [Int32]) {
        let keys = try await WrappedDataKeys.read(from: store)
        guard let recovery = keys.recovery else { throw NoRecoveryKey() }
        let pair = try RecoveryComponent.joined(components, keyId: recovery.id)
        let masterKey = try await anyMasterKey(keys)
        let lost = keys.missing(under: recovery.id).map(\.id)
        try await wrapAll(keys, except: lost, with: masterKey) { record in
            try pair.unwrap(keys.wrapping(of: record.id, under: recovery.id) ?? [], as: record.name)
        }
        let old = keys.masterKeys.filter { $0.kind != .recovery }.map(\.id)
        if keys.loaded.contains(where: { lost.contains($0.id) }) {
            // Nothing opens the inventory before these keys are back.
            try await store.replaceMasterKeys(ids: old.filter { $0 != masterKey.id })
        } else {
            try await use(masterKey, insteadOf: old, try await opened())
        }
        return (masterKey.id, keys.live.count - lost.count, lost)
    }

    /// Makes the recovery key, and gives out its components before it is used.
    ///
    /// - Parameters:
    ///   - replacesOld: whether there may be a recovery key already. It opens no keys that are made later, and its wrappings
    ///     are removed.
    ///   - giveOut: stores the components. If it throws, there is no new recovery key.
    /// - Returns: the recovery key's id.
    /// - Throws: ``RecoveryKeyExists``.
    package func makeRecoveryKey(
        componentCount: Int, replacesOld: Bool, giveOut: ([RecoveryComponent]) throws -> Void
    ) async throws -> String {
        let keyring = try await opened()
        let old = try await counted(keyring).recovery
        guard old == nil || replacesOld else { throw RecoveryKeyExists() }
        let (key, privateKey) = try RecoveryKey.generate()
        let wrappings = try await recoveryWrappings(by: key)
        try giveOut(RecoveryComponent.split(privateKey, of: key, into: componentCount))
        let record = MasterKeyRecord(
            id: key.id, kind: .recovery, name: "\(componentCount) components",
            sealedPublicKey: try keyring.seal(key.publicKey, in: .recoveryKey(key.id)), createdAt: clock.now())
        var change = InventoryChange()
        change.setRecoveryKey(key.id, replacing: old?.id)
        try await inventory.changing(change, with: keyring) {
            try await store.insertRecoveryKey(record, replacing: old?.id, wrappings: wrappings)
        }
        return key.id
    }

    /// Wraps all data keys that the recovery key has not wrapped yet.
    package func wrapForRecovery() async throws {
        let keys = try await counted(try await opened())
        guard let recovery = try await recoveryKey(keys), !keys.missing(under: recovery.id).isEmpty else { return }
        try await store.insertWrappings(try await recoveryWrappings(by: recovery), now: clock.now())
    }

    // MARK: - Steps

    /// Copies what the old vault keeps beside its keys, if the vault has something older or nothing.
    private func copyRecords(from old: any Vault) async throws {
        for kind in [KeptMark.Kind.seal, .inventory] {
            if let mark = try await KeptMark(kind, in: [old]).newest() {
                try await KeptMark(kind, in: [vault]).raise(to: mark)
            }
        }
        guard let roster = try OperatorRoster.newest(of: try await old.records(.operators)) else { return }
        let present = try OperatorRoster.newest(of: try await vault.records(.operators))
        guard (present?.sequence ?? 0) < roster.sequence else { return }
        try await vault.keep(roster.bytes, as: .operators)
    }

    /// All data keys, wrapped by a recovery key: disabled ones too, because they can become usable again. Only keys that were
    /// lost with an earlier master key are left out.
    private func recoveryWrappings(by recovery: RecoveryKey) async throws -> [DataKeyWrapping] {
        let keys = try await counted(try await opened())
        let masterKey = try await masterKey(of: keys)
        var wrappings: [DataKeyWrapping] = []
        for record in keys.live where keys.wraps([record], under: masterKey.id) {
            let wrapped = try recovery.wrap(try await unwrap(record, keys, by: masterKey), as: record.name)
            wrappings.append(
                DataKeyWrapping(dataKeyId: record.id, masterKeyId: recovery.id, wrappedKey: wrapped))
        }
        return wrappings
    }

    /// The newest active master key that the vault has.
    private func existingMasterKey(_ keys: WrappedDataKeys) async throws -> (any MasterKey)? {
        for record in keys.masterKeys(of: vault.kind) where record.status == .active {
            if let key = try await vault.masterKey(record.id) { return key }
        }
        return nil
    }

    /// The newest active master key that the vault has, or a new one.
    private func anyMasterKey(_ keys: WrappedDataKeys) async throws -> any MasterKey {
        if let key = try await existingMasterKey(keys) { return key }
        return try await addMasterKey()
    }

    /// Wraps the data keys that a master key has not wrapped yet, one after the other.
    private func wrapAll(
        _ keys: WrappedDataKeys, except lost: [Int32] = [], with masterKey: any MasterKey,
        _ dataKey: (DataKeyRecord) async throws -> SharedSecret
    ) async throws {
        for record in keys.missing(under: masterKey.id) where !lost.contains(record.id) {
            let wrapping = try await wrapped(try await dataKey(record), as: record.name, by: masterKey)
            try await store.insertWrappings([wrapping], now: clock.now())
        }
    }

    /// The master keys that a vault has.
    private func masterKeyIds(_ keys: WrappedDataKeys, in vault: any Vault) async throws -> [String] {
        var ids: [String] = []
        for record in keys.masterKeys(of: vault.kind) {
            if try await vault.masterKey(record.id) != nil { ids.append(record.id) }
        }
        return ids
    }

    /// Puts a master key that has wrapped all data keys into the inventory, and replaces others.
    private func use(_ masterKey: any MasterKey, insteadOf old: [String], _ keyring: Keyring) async throws {
        let replaced = old.filter { $0 != masterKey.id }
        var change = InventoryChange()
        change.setMasterKey(masterKey.id, .active)
        for id in replaced { change.setMasterKey(id, .replaced) }
        try await inventory.changing(change, with: keyring) { try await store.replaceMasterKeys(ids: replaced) }
    }
}

/// A vault in a file cannot have a second master key.
package struct FileHasOneKey: Error, CustomStringConvertible {
    package let description =
        "a vault in a file has one master key: name another vault in the settings, and run 'card-companion vault rewrap "
        + "--from-file' with the file of the present one"
}

package struct NoRecoveryKey: Error, CustomStringConvertible {
    package let description = "this installation has no recovery key"
}

package struct RecoveryKeyExists: Error, CustomStringConvertible {
    package let description =
        "this installation has a recovery key: its custodians have the components. With "
        + "--replace-recovery-key, it gets a new one"
}
