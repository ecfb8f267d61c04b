package import CardCompanionStore
internal import Cryptography
package import KeyVault

/// The data keys of a database: the first server creates them, and an operator replaces and retires them.
package struct DataKeys: Sendable {
    /// Opens the master key of the vault.
    package typealias Vault = @Sendable () async throws -> any MasterKey

    /// How long after its creation servers begin to make values with a key. Each server has it by then.
    package static let activationSeconds: Int64 = 120

    /// How many values may be sealed with a key before the server warns. AES-GCM with random nonces allows 2^32 (NIST
    /// SP 800-38D section 8.3).
    package static let usesBeforeRotation: Int64 = 1 << 31

    private let store: Store
    private let clock: WallClock
    private let vault: Vault

    package init(store: Store, clock: WallClock, vault: @escaping Vault) {
        self.store = store
        self.clock = clock
        self.vault = vault
    }

    /// Opens the data keys of a database. The first server of a database creates them.
    ///
    /// - Throws: `KeyVaultError` if vault and database do not belong together, `StoreError`.
    package func opened() async throws -> Keyring {
        let masterKey = try await vault()
        var records = try await store.dataKeys()
        // Another vault must not add its own keys to a database that is in use.
        if let foreign = records.first(where: { $0.masterKeyId != masterKey.id }) {
            throw KeyVaultError.foreignMasterKey(dataKeyId: foreign.id)
        }
        let missing = DataKeyPurpose.allCases.filter { purpose in !records.contains { $0.purpose == purpose } }
        for purpose in missing { _ = try await add(purpose, replacing: nil, masterKey, activeFrom: clock.now()) }
        if !missing.isEmpty { records = try await store.dataKeys() }
        let now = clock.now()
        return try Keyring(
            sealing: records.wrapped(.seal, now), authenticating: records.wrapped(.authenticate, now),
            handingOut: records.wrapped(.handOut, now), masterKey: masterKey)
    }

    /// Gives a keyring the keys as they are now, and counts what it has sealed.
    ///
    /// - Returns: the keys that have sealed so many values that they must be replaced.
    package func refresh(_ keyring: Keyring) async throws -> [DataKeyRecord] {
        try await report(keyring)
        let (records, now) = (try await store.dataKeys(), clock.now())
        let isNew = records.contains { $0.wrappedKey != nil && !keyring.has($0.id) }
        try keyring.replace(
            sealing: records.wrapped(.seal, now), authenticating: records.wrapped(.authenticate, now),
            handingOut: records.wrapped(.handOut, now), masterKey: isNew ? try await vault() : nil)
        return records.filter { $0.id == keyring.sealingKeyId && $0.uses >= Self.usesBeforeRotation }
    }

    /// Counts what a keyring has sealed.
    package func report(_ keyring: Keyring) async throws {
        for (id, count) in keyring.takeUses() {
            do {
                try await store.addUses(count, ofDataKey: id)
            } catch {
                keyring.putBackUses(count, of: id)
                throw error
            }
        }
    }

    /// Creates a key that takes the place of the newest one of a purpose, after ``activationSeconds``.
    ///
    /// - Returns: the new key's id; nil if the newest key is not used yet, or if another rotation was faster.
    package func rotate(_ purpose: DataKeyPurpose) async throws -> Int32? {
        let masterKey = try await vault()
        let newest = try await store.dataKeys().last { $0.purpose == purpose }
        guard let newest, newest.activeFrom <= clock.now() else { return nil }
        let activeFrom = clock.now().advanced(bySeconds: Self.activationSeconds)
        guard try await add(purpose, replacing: newest.id, masterKey, activeFrom: activeFrom) else { return nil }
        return try await store.dataKeys().last { $0.purpose == purpose && $0.replaces == newest.id }?.id
    }

    /// Erases a key that was replaced. If values are left that were made with it, servers seal them again.
    ///
    /// - Throws: ``DataKeyInUse``, `StoreError`.
    package func retire(_ id: Int32) async throws {
        let records = try await store.dataKeys()
        guard let key = records.first(where: { $0.id == id }) else { throw DataKeyInUse.unknown }
        guard key.wrappedKey != nil else { throw DataKeyInUse.retired }
        guard let next = records.first(where: { $0.replaces == id }) else { throw DataKeyInUse.newest }
        let left = next.activeFrom.advanced(bySeconds: Self.waitSeconds(key.purpose)).seconds - clock.now().seconds
        guard left <= 0 else { throw DataKeyInUse.recent(seconds: left) }
        for column in KeyedColumn.all(of: key.purpose) {
            let count = try await countValues(of: column, under: id)
            guard count == 0 else {
                if key.purpose == .seal { try await store.restartResealing(of: column) }
                throw DataKeyInUse.values(count, column: column, purpose: key.purpose)
            }
        }
        guard try await store.retireDataKey(id: id) else { throw DataKeyInUse.retired }
    }

    /// How long after the activation of its successor values can appear that were made with a key, or can be expected to
    /// open. A command that imports cardholders can seal with an old key for as long as it runs; sessions live for a day;
    /// keypads for five minutes.
    private static func waitSeconds(_ purpose: DataKeyPurpose) -> Int64 {
        switch purpose {
        case .seal: 86_400
        case .authenticate: 2 * 86_400
        case .handOut: 3600
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

    private func add(
        _ purpose: DataKeyPurpose, replacing replaced: Int32?, _ masterKey: any MasterKey, activeFrom: Timestamp
    ) async throws -> Bool {
        let wrapped = try masterKey.wrap(SecureRandom.secret(count: Keyring.keyByteCount))
        return try await store.insertDataKey(
            purpose: purpose, replacing: replaced, wrappedKey: wrapped, masterKeyId: masterKey.id,
            activeFrom: activeFrom, now: clock.now())
    }
}

extension [DataKeyRecord] {
    /// The key that servers make values of a purpose with.
    package func active(_ purpose: DataKeyPurpose, _ now: Timestamp) -> DataKeyRecord? {
        let keys = filter { $0.purpose == purpose && $0.wrappedKey != nil }
        // The first key is used at once, also by a server whose clock is a little behind.
        return keys.last { $0.activeFrom <= now } ?? keys.first
    }

    fileprivate func wrapped(_ purpose: DataKeyPurpose, _ now: Timestamp) -> [Keyring.WrappedKey] {
        let active = active(purpose, now)
        return filter { $0.purpose == purpose }.compactMap { key in
            key.wrappedKey.map {
                Keyring.WrappedKey(
                    id: key.id, bytes: $0, masterKeyId: key.masterKeyId, isActive: key.id == active?.id)
            }
        }
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
    /// That many values of a column were made with it.
    case values(Int64, column: KeyedColumn, purpose: DataKeyPurpose)

    package var description: String {
        switch self {
        case .unknown: "there is no such data key: see 'card-companion vault status'"
        case .retired: "the data key is already retired"
        case .newest: "new values are made with this data key: run 'card-companion vault rotate-data-key' first"
        case .recent(let seconds):
            "the data key was replaced recently, and servers can still need it: try again in \(seconds) seconds"
        case .values(let count, let column, .seal):
            "the data key is still needed by \(count) values of \(column.rawValue): running servers seal them again; see "
                + "'card-companion vault status'"
        case .values(let count, let column, _):
            "the data key is still needed by \(count) values of \(column.rawValue). Such a value is made anew when the bank "
                + "sends it again, or when the cardholder uses the code"
        }
    }
}
