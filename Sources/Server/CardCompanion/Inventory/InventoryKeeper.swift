package import CardCompanionModel
package import CardCompanionStore
internal import Cryptography
package import KeyVault
package import Logging
internal import Metrics
internal import Synchronization

/// The newest version of the inventory that this process has seen. It never goes back to an older one, and neither does the mark that
/// the vault keeps. So rows, approvals and whole tables that somebody puts back do not count.
package final class InventoryKeeper: Sendable {
    private struct State {
        /// Whether the mark outside of this process was read.
        var hasBegun = false
        /// The newest version that is known.
        var mark: Mark?
        /// The same, if this process has seen and verified it.
        var known: Inventory?
        /// As the database has it.
        var record: InventoryRecord?
        /// Banks' parts by their marks.
        var banks: [String: Inventory] = [:]
        var fault: InventoryFault?
        /// Keys whose rows are not as the inventory has them: each is logged once.
        var changedKeys: Set<String> = []

        /// Whether a version is the known one, and none is newer, also for the mark.
        func isNewest(_ record: InventoryRecord) -> Bool {
            record == self.record && mark?.number == known?.version
        }
    }

    /// How many banks' parts are remembered. When there are more, all are forgotten, and read again.
    static let bankCapacity = 1_000

    let store: Store
    let clock: WallClock
    let logger: Logger
    private let kept: KeptMark
    private let state = Mutex(State())
    private let metrics = InventoryMetrics()

    /// - Parameter places: where the mark is kept: the vault and, if it is read-only for servers, a file.
    package init(store: Store, clock: WallClock, marks places: [any Vault], logger: Logger) {
        self.store = store
        self.clock = clock
        self.logger = logger
        kept = KeptMark(.inventory, in: places)
    }

    /// The newest version that this process has seen.
    var known: Inventory? { state.withLock(\.known) }

    /// The newest version, in the database or, if that one is not right, the one that is known.
    ///
    /// - Parameter keyring: verifies it.
    /// - Returns: nil if there was none yet.
    /// - Throws: ``InventoryFault`` if none is known; `StoreError`, `KeyVaultError`, ``DamagedMark``.
    package func present(_ keyring: Keyring) async throws -> Inventory? {
        do {
            let newest = try await newest(keyring)
            if state.withLock({ $0.fault.take() }) != nil {
                logger.notice("The inventory in the database is right again")
            }
            metrics.isRight(true)
            return newest
        } catch let fault as InventoryFault {
            alarm(fault)
            guard let known else { throw fault }
            return known
        }
    }

    /// The newest version in the database.
    ///
    /// - Throws: ``InventoryFault`` if it is not right; `StoreError`, `KeyVaultError`, ``DamagedMark``.
    package func newest(_ keyring: Keyring) async throws -> Inventory? {
        try await readMarkAtStart()
        let (mark, known) = state.withLock { ($0.mark, $0.known) }
        guard let record = try await store.newestInventory() else {
            guard mark == nil else { throw InventoryFault(.older, known: mark, found: nil) }
            return nil
        }
        // Another task can have taken it since.
        if let taken = state.withLock({ $0.isNewest(record) ? $0.known : nil }) { return taken }
        guard let found = Inventory(record.contents, of: nil), found.version == record.version else {
            throw InventoryFault(.forged, known: mark, found: nil)
        }
        if found.mark == mark {
            // The mark vouches for it.
            return try await take(found, record)
        }
        guard let mark else {
            try require(keyring.hasAuthenticated(found, record.mac, known: nil), .forged, nil, found)
            logger.notice(
                "No version of the inventory was known: the one in the database is",
                metadata: ["version": "\(found.mark.text)"])
            return try await take(found, record)
        }
        let basis = if let known { known } else { try await marked(mark) }
        try await requireDescent(of: found, from: mark, isSeen: known != nil)
        try require(
            basis.map { keyring.hasAuthenticated(found, record.mac, known: $0) } ?? false, .forged, mark, found)
        return try await take(found, record)
    }

    private func require(
        _ condition: Bool, _ finding: InventoryFault.Finding, _ known: Mark?, _ found: Inventory
    ) throws(InventoryFault) {
        guard condition else { throw InventoryFault(finding, known: known, found: found.mark) }
    }

    /// The version of the mark, as the database has it; nil if it does not.
    private func marked(_ mark: Mark) async throws -> Inventory? {
        guard let record = try await store.inventories(after: mark.number - 1).first,
            let inventory = Inventory(record.contents, of: nil), inventory.mark == mark
        else { return nil }
        return inventory
    }

    /// A bank's part of a version.
    ///
    /// - Returns: nil if the version does not have the bank.
    /// - Throws: ``DamagedBankInventory``, `StoreError`.
    func bank(_ id: Identifier, in inventory: Inventory) async throws -> Inventory? {
        guard let entry = inventory[.bank, id.text] else { return nil }
        if let cached = state.withLock({ $0.banks[entry.value] }), cached.scope == id { return cached }
        guard let mark = Mark(entry.value),
            let record = try await store.bankInventory(bankId: id, version: mark.number),
            let found = Inventory(record.contents, of: id), found.mark == mark
        else { throw DamagedBankInventory(bankId: id, version: entry.value) }
        state.withLock { state in
            if state.banks.count >= Self.bankCapacity { state.banks.removeAll() }
            state.banks[entry.value] = found
        }
        return found
    }

    /// A version that is the newest one in the database, with the parts of its banks, whether servers take it or not.
    ///
    /// - Throws: ``InventoryFault`` if the database has another one; ``DamagedBankInventory``, `StoreError`.
    package func found(_ mark: Mark) async throws -> [Inventory] {
        guard let record = try await store.newestInventory(),
            let inventory = Inventory(record.contents, of: nil), inventory.mark == mark
        else { throw InventoryFault(.other, known: mark, found: nil) }
        var parts = [inventory]
        for id in inventory.banks {
            if let part = try await bank(id, in: inventory) { parts.append(part) }
        }
        return parts
    }

    /// The part of a bank, or of the installation, in the newest version that is known.
    ///
    /// - Returns: nil if there is none.
    package func part(of scope: Identifier?) async throws -> Inventory? {
        guard let scope, let known else { return known }
        return try await bank(scope, in: known)
    }

    /// Raises the mark to a version that was verified, and then remembers it. So nothing that this process relies on can be taken back.
    ///
    /// - Returns: the newest version that is known.
    /// - Throws: ``InventoryFault`` if the mark is another version of that number.
    @discardableResult
    func take(_ inventory: Inventory, _ record: InventoryRecord) async throws -> Inventory {
        let mark = inventory.mark
        if let known, known.version >= mark.number { return known }
        let present = try await raised(to: mark)
        // A later mark must come after this version, which the database then still has.
        guard present == mark || present.number > mark.number, try await marked(mark) != nil else {
            throw InventoryFault(.other, known: present, found: mark)
        }
        return state.withLock { state in
            if let known = state.known, known.version >= inventory.version { return known }
            (state.known, state.record) = (inventory, record)
            if present.number >= state.mark?.number ?? 0 { state.mark = present }
            return inventory
        }
    }

    /// - Returns: the mark that is kept afterwards.
    private func raised(to mark: Mark) async throws -> Mark {
        do {
            return try await kept.raise(to: mark)
        } catch let error as KeyVaultError {
            logger.warning(
                "The newest version of the inventory could not be kept in the vault",
                metadata: ["version": "\(mark.number)", "error": "\(error)"])
            return mark
        }
    }

    /// Remembers a version that operators have gone back to. The mark must know it too.
    func keep(_ inventory: Inventory, _ record: InventoryRecord) async throws {
        let mark = inventory.mark
        guard try await kept.raise(to: mark) == mark else { throw InventoryFault(.other, known: mark, found: nil) }
        state.withLock { ($0.known, $0.record, $0.mark, $0.hasBegun) = (inventory, record, mark, true) }
    }

    /// Makes sure that a version is lost, and another one found.
    package func requireLost(_ lost: Mark, _ found: Mark) async throws {
        try await readMarkAtStart()
        let (mark, newest) = (state.withLock(\.mark), try await store.newestInventory())
        let present = newest.flatMap { Inventory($0.contents, of: nil)?.mark }
        guard mark == lost, present == found, lost != found else {
            throw InventoryFault(.other, known: mark, found: present)
        }
    }

    /// Compares the mark outside of this process: another one can have raised it, or this one could not when it took its version.
    func followMark() async throws {
        let kept = try await kept.newest()
        let known = state.withLock { state in
            if let kept, kept.number > state.mark?.number ?? 0 { state.mark = kept }
            return state.known
        }
        if let known, kept?.number ?? 0 < known.version { _ = try await raised(to: known.mark) }
    }

    /// The mark outside of the database and of this process.
    package func keptMark() async throws -> Mark? { try await kept.newest() }

    private func readMarkAtStart() async throws {
        guard !state.withLock(\.hasBegun) else { return }
        let mark = try await kept.newest()
        state.withLock { state in
            if !state.hasBegun, state.mark == nil { state.mark = mark }
            state.hasBegun = true
        }
    }

    /// Each version has the hash of the one before it. So the newest one proves all others, also that which is known.
    ///
    /// - Parameter isSeen: whether this process has seen the known version, and not only its mark. A process that has only the mark
    ///   does not follow operators who have given it up: their command has raised the mark.
    private func requireDescent(of found: Inventory, from known: Mark, isSeen: Bool) async throws {
        guard found.version >= known.number else { throw InventoryFault(.older, known: known, found: found.mark) }
        guard found.version > known.number else { throw InventoryFault(.other, known: known, found: found.mark) }
        var last = known
        for record in try await store.inventories(after: known.number) where record.version <= found.version {
            guard let next = Inventory(record.contents, of: nil) else { break }
            if isSeen, let lost = next.lostVersion, lost.number >= known.number {
                // The operators go on with an older version, and have given up this one.
                guard lost.number > known.number || lost.hash == known.hash else { break }
            } else {
                guard next.version == last.number + 1, next.previousHash == last.hash else { break }
            }
            last = next.mark
        }
        guard last == found.mark else { throw InventoryFault(.incomplete, known: known, found: found.mark) }
    }

    /// Says once of each key that its row is not as the inventory has it.
    func alarm(ofChangedKeys names: [String]) {
        let new = state.withLock { state in
            defer { state.changedKeys = Set(names) }
            return names.filter { !state.changedKeys.contains($0) }
        }
        guard !new.isEmpty else { return }
        logger.critical(
            "Somebody has changed keys in the database. The server goes on with what the inventory says of them: see 'card-companion doctor'",
            metadata: ["keys": "\(new.joined(separator: ", "))"])
    }

    private func alarm(_ fault: InventoryFault) {
        metrics.isRight(false)
        let isNew = state.withLock { state in
            defer { state.fault = fault }
            return state.fault != fault
        }
        if isNew { logger.critical("\(fault): \(fault.remedy)") }
    }
}

/// What the inventory tells monitoring.
private struct InventoryMetrics: Sendable {
    private let right = Gauge(label: "card_companion_inventory_right")

    func isRight(_ isRight: Bool) { right.record(isRight ? 1 : 0) }
}

extension Inventory {
    /// The version that operators have given up to go on with an older one.
    package var lostVersion: Mark? { self[.lostVersion, ""].flatMap { Mark($0.value) } }
}

extension Keyring {
    private static func place(_ version: Int64) -> SealedPlace {
        SealedPlace("inventory.mac", .keys, row: "\(version)")
    }

    /// The MAC of a version.
    func authenticationCode(of inventory: Inventory) throws(KeyVaultError) -> [UInt8] {
        try authenticationCode(for: inventory.hash, in: Self.place(inventory.version))
    }

    /// Whether a version's MAC was made with a data key that counts.
    ///
    /// - Parameter known: the version that is known. It says which keys count; without one, the database does.
    func hasAuthenticated(_ inventory: Inventory, _ mac: [UInt8], known: Inventory?) -> Bool {
        guard let codes = try? authenticationCodes(for: inventory.hash, in: Self.place(inventory.version)),
            codes.contains(where: { ConstantTime.areEqual($0, mac) })
        else { return false }
        guard let known else { return !isCompromised(mac) }
        return known.allowsDataKey(Self.keyId(of: mac))
    }
}
