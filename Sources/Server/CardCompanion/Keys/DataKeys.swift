package import CardCompanionModel
package import CardCompanionStore
internal import Cryptography
package import KeyVault
internal import SecureMemory

/// The data keys of a database: the first server creates them, and an operator replaces and retires them. They are stored
/// wrapped by master keys, which are in the vault.
package struct DataKeys: Sendable {
    /// Servers begin to use a new key this long after its creation. By then each server has it.
    package static let activationSeconds: Int64 = 120

    /// How many values may be sealed with a key before the server warns. AES-GCM with random nonces allows 2^32 (NIST
    /// SP 800-38D section 8.3).
    package static let usesBeforeRotation: Int64 = 1 << 31

    /// How long a key should make new values (NIST SP 800-57 part 1, section 5.3.6: at most two years). The server warns, and
    /// goes on.
    package static let cryptoperiodSeconds: Int64 = 365 * 86_400

    let store: Store
    let clock: WallClock
    package let vault: any Vault
    package let inventory: InventoryKeeper

    /// - Parameter inventory: says which keys count.
    package init(store: Store, clock: WallClock, vault: any Vault, inventory: InventoryKeeper) {
        self.store = store
        self.clock = clock
        self.vault = vault
        self.inventory = inventory
    }

    /// Opens the data keys of a database. The first server of a database creates them.
    ///
    /// - Throws: `KeyVaultError` if vault and database do not belong together, `StoreError`.
    package func opened() async throws -> Keyring {
        let keyring = Keyring(nil)
        _ = try await open(into: keyring)
        return keyring
    }

    /// The data keys as the database has them, to decide which inventory counts.
    package func openedWithoutInventory() async throws -> Keyring {
        let keys = try await WrappedDataKeys.read(from: store)
        return Keyring(try await unwrapped(keys, by: try await masterKey(of: keys), known: Keyring(nil)))
    }

    /// Loads the present keys into a keyring. A key that it already has is not unwrapped again.
    ///
    /// - Returns: the master key that unwraps them, and the state of all keys.
    func open(into keyring: Keyring) async throws -> (masterKey: any MasterKey, keys: WrappedDataKeys) {
        var keys = try await WrappedDataKeys.read(from: store)
        let masterKey = try await keys.isComplete ? self.masterKey(of: keys) : firstMasterKey(of: keys)
        if !keys.isComplete {
            for purpose in DataKeyPurpose.allCases where !keys.records.contains(where: { $0.purpose == purpose }) {
                _ = try await add(purpose, replacing: nil, keys, activeFrom: clock.now())
                keys = try await WrappedDataKeys.read(from: store)
            }
        }
        let (unwrapped, counted) = try await counted(keys, by: masterKey, known: keyring)
        keyring.replace(unwrapped)
        return (masterKey, counted)
    }

    /// The keys that count. The inventory says which these are, and the keys of the database verify it.
    private func counted(
        _ keys: WrappedDataKeys, by masterKey: any MasterKey, known keyring: Keyring
    ) async throws -> (Keyring.Keys, WrappedDataKeys) {
        let found = try await unwrapped(keys, by: masterKey, known: keyring)
        guard let present = try await inventory.present(Keyring(found)) else { return (found, keys) }
        let counted = keys.counted(by: present)
        let changed = present.changedKeys(keys.records, keys.masterKeys, try await store.serverKeys())
        // A command can have changed keys between the two reads.
        inventory.alarm(ofChangedKeys: changed.isEmpty ? [] : try await changedKeys(Keyring(found)))
        return (try await unwrapped(counted, by: masterKey, known: Keyring(found)), counted)
    }

    /// The keys whose rows are not as the inventory has them: those that somebody has added or changed.
    package func changedKeys(_ keyring: Keyring) async throws -> [String] {
        for _ in 0..<InventoryKeeper.attemptLimit {
            guard let before = try await inventory.present(keyring) else { return [] }
            let (keys, serverKeys) = (try await WrappedDataKeys.read(from: store), try await store.serverKeys())
            let changed = before.changedKeys(keys.records, keys.masterKeys, serverKeys)
            // A command can have changed both after the inventory was read.
            let after = changed.isEmpty ? before : try await inventory.present(keyring)
            if after?.version == before.version { return changed }
        }
        return []
    }

    /// As ``open(into:)``, unless the keys were taken away in between.
    func refresh(_ keyring: Keyring) async throws -> (masterKey: any MasterKey, keys: WrappedDataKeys) {
        let keys = try await WrappedDataKeys.read(from: store)
        let masterKey = try await masterKey(of: keys)
        let (unwrapped, counted) = try await counted(keys, by: masterKey, known: keyring)
        keyring.refresh(unwrapped)
        return (masterKey, counted)
    }

    /// All keys, with the states that count.
    func counted(_ keyring: Keyring) async throws -> WrappedDataKeys {
        let keys = try await WrappedDataKeys.read(from: store)
        return try await inventory.present(keyring).map { keys.counted(by: $0) } ?? keys
    }

    /// Counts what a keyring has sealed.
    package func report(_ keyring: Keyring) async throws {
        var failure: (any Error)?
        for (id, count) in keyring.takeUses() {
            do {
                // It must not take the inventory of a change along.
                try await PendingInventory.$current.withValue(nil) {
                    try await store.addUses(count, ofDataKey: id)
                }
            } catch {
                keyring.putBackUses(count, of: id)
                failure = error
            }
        }
        if let failure { throw failure }
    }

    /// Creates a key that takes the place of the newest one of a purpose, after ``activationSeconds``.
    ///
    /// - Returns: the new key's id; nil if the newest key is not used yet, or if another rotation was faster.
    /// - Throws: ``OtherVaultInUse`` if a running server could not open the new key.
    package func rotate(_ purpose: DataKeyPurpose) async throws -> Int32? {
        let keys = try await counted(try await opened())
        guard let newest = keys.records.last(where: { $0.purpose == purpose }), newest.activeFrom <= clock.now() else {
            return nil
        }
        return try await add(
            purpose, replacing: newest.id, keys, activeFrom: clock.now().advanced(bySeconds: Self.activationSeconds))
    }

    /// Erases a key that was replaced. If values are left that were made with it, servers seal them again.
    ///
    /// - Throws: ``DataKeyInUse``, `StoreError`.
    package func retire(_ id: Int32) async throws {
        let records = try await counted(try await opened()).records
        guard let key = records.first(where: { $0.id == id }) else { throw DataKeyInUse.unknown }
        guard key.state != .destroyed else { throw DataKeyInUse.retired }
        guard let next = records.first(where: { $0.replaces == id }) else { throw DataKeyInUse.newest }
        let left = next.activeFrom.advanced(bySeconds: Self.waitSeconds(key.purpose)).seconds - clock.now().seconds
        guard left <= 0 else { throw DataKeyInUse.recent(seconds: left) }
        for column in KeyedColumn.all(of: key.purpose) {
            let count = try await countValues(of: column, under: id)
            guard count == 0 else {
                if DataKeyPurpose.sealing.contains(key.purpose) { try await store.restartResealing(of: column) }
                throw DataKeyInUse.values(count, column: column, purpose: key.purpose)
            }
        }
        try await write(.destroyed, of: key)
    }

    private func write(_ state: DataKeyState, of key: DataKeyRecord) async throws {
        var change = InventoryChange()
        change.set(key.id, Inventory.DataKeyEntry(key.with(state: state, activeFrom: key.activeFrom)))
        try await inventory.changing(change, with: try await opened()) {
            guard try await store.setDataKey(id: key.id, state: state) else { throw DataKeyInUse.retired }
        }
    }

    /// Sets what a replaced key can still do.
    ///
    /// - Throws: ``DataKeyInUse``, `StoreError`.
    package func set(_ id: Int32, to state: DataKeyState) async throws {
        let records = try await counted(try await opened()).records
        guard let key = records.first(where: { $0.id == id }) else { throw DataKeyInUse.unknown }
        guard key.state != .destroyed else { throw DataKeyInUse.retired }
        guard let next = records.first(where: { $0.replaces == id }) else { throw DataKeyInUse.newest }
        let left = next.activeFrom.seconds - clock.now().seconds
        guard left <= 0 else { throw DataKeyInUse.recent(seconds: left) }
        try await write(state, of: key)
    }

    /// How long a key is still needed after its successor is active: new values can appear under it, and old ones must open.
    /// A command that imports cardholders seals with the old key until it ends; sessions live for a day, keypads for five
    /// minutes.
    private static func waitSeconds(_ purpose: DataKeyPurpose) -> Int64 {
        switch purpose {
        case .pins, .keys, .freeFields, .audit: 86_400
        case .codes, .digests: 2 * 86_400
        case .keypads: 3600
        }
    }

    private static let rowsPerCount = 20_000

    private func countValues(of column: KeyedColumn, under id: Int32) async throws -> Int64 {
        var (total, after) = (Int64(0), KeyedRow.start)
        while true {
            let (count, last) = try await store.countValues(
                of: column, under: id, after: after, limit: Self.rowsPerCount)
            total += count
            guard let last else { return total }
            after = last
        }
    }

    // MARK: - Master keys

    /// The vault's master key that has wrapped all data keys that servers load: the newest one that is active.
    func masterKey(of keys: WrappedDataKeys) async throws -> any MasterKey {
        for record in keys.masterKeys(of: vault.kind) where keys.wraps(keys.loaded, under: record.id) {
            if let key = try await vault.masterKey(record.id) { return key }
        }
        try await vault.requirePresence()
        throw KeyVaultError.foreignMasterKey(dataKeyId: keys.live.first?.id ?? 0)
    }

    /// The master key for the first data keys. A file gets one if it has none. On a token, an operator makes it.
    private func firstMasterKey(of keys: WrappedDataKeys) async throws -> any MasterKey {
        guard keys.live.isEmpty else { return try await masterKey(of: keys) }
        for record in keys.masterKeys(of: vault.kind) {
            if let key = try await vault.masterKey(record.id) { return key }
        }
        guard vault.kind == .file else { throw KeyVaultError.noMasterKey(vault: vault.name) }
        return try await addMasterKey()
    }

    /// Makes a master key in the vault, and records it.
    func addMasterKey() async throws -> any MasterKey {
        let key = try await vault.makeMasterKey()
        try await store.insertMasterKey(
            MasterKeyRecord(id: key.id, kind: vault.recordedKind, name: vault.name, createdAt: clock.now()))
        return key
    }

    /// Adds a data key, wrapped by each active master key of the vault and by the recovery key.
    private func add(
        _ purpose: DataKeyPurpose, replacing replaced: Int32?, _ keys: WrappedDataKeys, activeFrom: Timestamp
    ) async throws -> Int32? {
        let now = clock.now()
        // Those of now: another command can have made a key since.
        let found = try await WrappedDataKeys.read(from: store)
        let present = inventory.known.map { found.counted(by: $0) } ?? found
        let name = DataKeyName(id: (found.records.last?.id ?? 0) + 1, purpose: purpose.rawValue)
        let dataKey = SharedSecret(SecureRandom.secret(count: Keyring.keyByteCount))
        var wrappings: [DataKeyWrapping] = []
        for record in present.masterKeys(of: vault.kind) where record.status == .active {
            guard let masterKey = try await vault.masterKey(record.id) else { continue }
            wrappings.append(try await wrapped(dataKey, as: name, by: masterKey))
        }
        guard !wrappings.isEmpty else { throw KeyVaultError.noMasterKey(vault: vault.name) }
        let used = try await store.serverVaults(seenSince: ServerVaults.limit(now))
        if let other = used.first(where: { server in !wrappings.contains { $0.masterKeyId == server.masterKeyId } }) {
            throw OtherVaultInUse(masterKeyId: other.masterKeyId)
        }
        if let recovery = try await recoveryKey(keys) {
            wrappings.append(
                DataKeyWrapping(
                    dataKeyId: name.id, masterKeyId: recovery.id, wrappedKey: try recovery.wrap(dataKey, as: name)))
        }
        let insert = {
            try await store.insertDataKey(
                id: name.id, purpose: purpose, replacing: replaced, wrappings: wrappings, activeFrom: activeFrom,
                now: now)
        }
        // The inventory begins after the first keys, which authenticate it.
        guard keys.isComplete else { return try await insert() ? name.id : nil }
        var change = InventoryChange()
        change.set(name.id, Inventory.DataKeyEntry(purpose: purpose, state: .usable, activeFrom: activeFrom))
        return try await inventory.changingIfPossible(change, with: try await opened(), insert) ? name.id : nil
    }

    /// Wraps a data key, and proves that it opens again.
    func wrapped(
        _ dataKey: SharedSecret, as name: DataKeyName, by masterKey: any MasterKey
    ) async throws -> DataKeyWrapping {
        let wrappedKey = try await masterKey.wrap(dataKey, as: name)
        let opened = try await masterKey.unwrap(wrappedKey, as: name)
        guard ConstantTime.areEqual(opened.bytes, dataKey.bytes) else {
            throw KeyVaultError.damagedDataKey(id: name.id)
        }
        return DataKeyWrapping(dataKeyId: name.id, masterKeyId: masterKey.id, wrappedKey: wrappedKey)
    }

    /// The recovery key; nil if there is none.
    func recoveryKey(_ keys: WrappedDataKeys) async throws -> RecoveryKey? {
        guard let record = keys.recovery, let sealed = record.sealedPublicKey else { return nil }
        let publicKey = try await opened().open(sealed, in: .recoveryKey(record.id)).withBytes { Array($0) }
        return try RecoveryKey(publicKey: publicKey)
    }

    func unwrap(
        _ record: DataKeyRecord, _ keys: WrappedDataKeys, by masterKey: any MasterKey
    ) async throws -> SharedSecret {
        guard let wrapping = keys.wrapping(of: record.id, under: masterKey.id) else {
            throw KeyVaultError.foreignMasterKey(dataKeyId: record.id)
        }
        return try await masterKey.unwrap(wrapping, as: record.name)
    }

    private func unwrapped(
        _ keys: WrappedDataKeys, by masterKey: any MasterKey, known keyring: Keyring
    ) async throws -> Keyring.Keys {
        let now = clock.now()
        var unwrapped: [Keyring.Purpose: [Keyring.DataKey]] = [:]
        for purpose in DataKeyPurpose.allCases {
            unwrapped[purpose.ofKeyring] = try await self.unwrapped(keys, purpose, masterKey, keyring, now)
        }
        return try Keyring.Keys(unwrapped)
    }

    private func unwrapped(
        _ keys: WrappedDataKeys, _ purpose: DataKeyPurpose, _ masterKey: any MasterKey, _ keyring: Keyring,
        _ now: Timestamp
    ) async throws -> [Keyring.DataKey] {
        let active = keys.records.active(purpose, now)
        var unwrapped: [Keyring.DataKey] = []
        for record in keys.loaded where record.purpose == purpose {
            let key =
                if let known = keyring.key(record.id) { known } else { try await unwrap(record, keys, by: masterKey) }
            unwrapped.append(
                Keyring.DataKey(
                    id: record.id, key: key, isActive: record.id == active?.id,
                    isCompromised: record.state == .compromised))
        }
        return unwrapped
    }
}

extension Vault {
    fileprivate var recordedKind: MasterKeyKind {
        switch kind {
        case .file: .file
        case .token: .token
        }
    }
}

extension DataKeyRecord {
    /// What the key is wrapped for.
    var name: DataKeyName { DataKeyName(id: id, purpose: purpose.rawValue) }
}

extension [DataKeyRecord] {
    /// The key that servers make values of a purpose with.
    package func active(_ purpose: DataKeyPurpose, _ now: Timestamp) -> DataKeyRecord? {
        let keys = filter { $0.purpose == purpose && $0.state == .usable }
        // The first key is used at once, also by a server whose clock is a little behind.
        return keys.last { $0.activeFrom <= now } ?? keys.first
    }
}

/// A running server could not open a new data key, because it uses a master key that this vault does not have.
package struct OtherVaultInUse: Error, CustomStringConvertible {
    let masterKeyId: String

    package var description: String {
        "a running server uses the master key \(masterKeyId), which was replaced or is not in this vault, and could not open a new "
            + "data key: wait until all servers use the present one, or finish the change of vaults; see 'card-companion vault status'"
    }
}

/// Why a data key cannot be retired.
package enum DataKeyInUse: Error, CustomStringConvertible {
    case unknown
    case retired
    /// It has no successor.
    case newest
    /// Its successor is too new: that many seconds are left.
    case recent(seconds: Int64)
    /// This many values of a column are still under it.
    case values(Int64, column: KeyedColumn, purpose: DataKeyPurpose)

    package var description: String {
        switch self {
        case .unknown: "there is no such data key: see 'card-companion vault status'"
        case .retired: "the data key is already retired"
        case .newest: "new values are made with this data key: run 'card-companion vault rotate-data-key' first"
        case .recent(let seconds):
            "the data key was replaced recently, and servers can still need it: try again in \(seconds) seconds"
        case .values(let count, let column, let purpose) where DataKeyPurpose.sealing.contains(purpose):
            "the data key is still needed by \(count) values of \(column.rawValue): running servers seal them again; see "
                + "'card-companion vault status'"
        case .values(let count, let column, _):
            "the data key is still needed by \(count) values of \(column.rawValue). Such a value is made again when the bank "
                + "sends it again, or when the cardholder uses the code"
        }
    }
}
