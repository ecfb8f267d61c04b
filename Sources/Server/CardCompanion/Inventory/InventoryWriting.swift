package import CardCompanionModel
internal import CardCompanionStore
package import KeyVault
internal import Logging
internal import Retries

// How the next version of the inventory is written: in the transaction of the change that it is about.

extension InventoryKeeper {
    /// How often a change is tried: it begins again if another command has written a version meanwhile.
    static let attemptLimit = 200
    /// The wait before a change begins again. Without one, a slow command always comes too late where many quick ones run.
    private static let wait = BackOff(first: .milliseconds(10), longest: .milliseconds(500), jitter: 0...1)

    /// A version that was computed, and what it comes after.
    private struct Draft {
        let change: InventoryChange
        let before: Inventory
        let after: Inventory
        /// Parts of banks that change; `before` is nil for a new bank.
        let banks: [(before: Inventory?, after: Inventory)]
        let written: NewInventory
    }

    /// Makes a change of the database, and puts it into the inventory: both take effect, or none.
    ///
    /// If another command is faster, it begins again with the newest version.
    ///
    /// - Parameters:
    ///   - keyring: makes the version's MAC.
    ///   - change: what changes in the inventory. It is asked for again if another command was faster.
    ///   - body: the change of the database. Its first write takes the version along.
    /// - Throws: ``InventoryFault``, ``DamagedBankInventory``, `StoreError`, `KeyVaultError`; the errors of `change` and `body`.
    package func changing<Result>(
        with keyring: Keyring, _ change: () async throws -> InventoryChange, _ body: () async throws -> Result
    ) async throws -> Result {
        try await repeating { try await changed(change, keyring, body) }
    }

    /// As ``changing(with:_:_:)``, for a change of the inventory that is always the same.
    package func changing<Result>(
        _ change: InventoryChange, with keyring: Keyring, _ body: () async throws -> Result
    ) async throws -> Result {
        try await changing(with: keyring, { change }, body)
    }

    /// As ``changing(_:with:_:)``, for a change that another command can have made impossible.
    ///
    /// - Parameter body: returns false if it has changed nothing. Then the inventory does not change either.
    /// - Returns: the same.
    func changingIfPossible(
        _ change: InventoryChange, with keyring: Keyring, _ body: () async throws -> Bool
    ) async throws -> Bool {
        do {
            try await changing(change, with: keyring) {
                guard try await body() else { throw NothingChanged() }
            }
            return true
        } catch is NothingChanged {
            return false
        }
    }

    private struct NothingChanged: Error {}

    /// - Returns: nil if another command was faster; then nothing was done.
    private func changed<Result>(
        _ change: () async throws -> InventoryChange, _ keyring: Keyring, _ body: () async throws -> Result
    ) async throws -> Result? {
        guard let draft = try await draft(change, keyring) else { return try await body() }
        let pending = PendingInventory(draft.written)
        let result: Result
        do {
            result = try await PendingInventory.$current.withValue(pending, operation: body)
        } catch {
            guard pending.isTaken else { throw error }
            if case StoreError.conflict = error, try await !isNewest(draft) { return nil }
            // Nobody knows what was written. If anything was, the inventory was too.
            if case StoreError.outcomeUnknown = error { throw error }
            try await takeBack(draft, keyring)
            throw error
        }
        if pending.isTaken {
            try await take(draft.after, draft.written.installation)
        } else {
            // The change wrote nothing, or not by a statement that takes a version along.
            try await write(draft.change, keyring)
        }
        return result
    }

    /// Writes a version that goes with no other write.
    func write(_ change: InventoryChange, _ keyring: Keyring) async throws {
        try await repeating {
            guard let draft = try await draft({ change }, keyring) else { return () }
            do {
                try await insert(draft.written)
            } catch StoreError.conflict {
                return nil
            }
            try await take(draft.after, draft.written.installation)
            return ()
        }
    }

    /// Repeats `body` while other commands are faster: then it returns nil.
    private func repeating<Result>(_ body: () async throws -> Result?) async throws -> Result {
        var random = SystemRandomNumberGenerator()
        for attempt in 1...Self.attemptLimit {
            if let result = try await body() { return result }
            try await Task.sleep(for: Self.wait.delay(afterFailures: attempt, using: &random))
        }
        throw StoreError.conflict(reason: "\(Self.attemptLimit) other changes of the inventory were faster")
    }

    /// Writes a version on its own: it must not take along the version of a change that is under way in this task.
    func insert(_ next: NewInventory) async throws {
        try await PendingInventory.$current.withValue(nil) { try await store.insertInventory(next) }
    }

    private func isNewest(_ draft: Draft) async throws -> Bool {
        try await store.newestInventory() == draft.written.installation
    }

    /// The change has failed after its version was written: what was there before comes back.
    private func takeBack(_ draft: Draft, _ keyring: Keyring) async throws {
        guard try await isNewest(draft) else { return }
        try await take(draft.after, draft.written.installation)
        var change = InventoryChange()
        change.restore(from: draft.after, to: draft.before)
        for bank in draft.banks { change.restore(from: bank.after, to: bank.before) }
        try await write(change, keyring)
    }

    /// - Returns: nil if the change changes nothing.
    private func draft(_ change: () async throws -> InventoryChange, _ keyring: Keyring) async throws -> Draft? {
        let present =
            if let newest = try await newest(keyring) { newest } else { try await begun(keyring) }
        // After the version was read: what another command changes meanwhile makes this one begin again.
        let change = try await change()
        guard !change.isEmpty else { return nil }
        let scopes = change.changesAllBanks ? present.banks : change.banks
        var banks: [(before: Inventory?, after: Inventory)] = []
        for id in scopes {
            let before = try await bank(id, in: present)
            let entries = change.applied(to: before?.entries ?? [:], of: id)
            guard entries != before?.entries ?? [:] else { continue }
            banks.append((before, before?.next(entries) ?? Inventory(first: entries, of: id)))
        }
        var entries = change.applied(to: present.entries, of: nil)
        for bank in banks {
            entries[Inventory.Name(.bank, bank.after.scope?.text ?? "")] = Inventory.Entry(bank.after.mark.text)
        }
        entries.removeOutdated(at: clock.now())
        guard entries != present.entries else { return nil }
        let next = present.next(entries)
        return Draft(
            change: change, before: present, after: next, banks: banks,
            written: try next.written(with: banks.map(\.after), keyring))
    }

    /// Goes on with an older version than the one that is known, after a restore.
    ///
    /// - Parameters:
    ///   - lost: the version that is given up.
    ///   - found: the newest version in the database.
    /// - Returns: the version that goes on with it.
    /// - Throws: ``InventoryFault`` if the database has another one, or if it is right.
    package func accept(_ found: Mark, insteadOf lost: Mark, with keyring: Keyring) async throws -> Mark {
        try await requireLost(lost, found)
        guard let record = try await store.newestInventory(), let inventory = Inventory(record.contents, of: nil),
            inventory.mark == found, keyring.hasAuthenticated(inventory, record.mac, known: nil)
        else { throw InventoryFault(.forged, known: lost, found: found) }
        var entries = inventory.entries
        entries[Inventory.Name(.lostVersion)] = Inventory.Entry(lost.text)
        entries[Inventory.Name(.proposalsFrom)] = Inventory.Entry("\(clock.now().seconds)")
        let next = inventory.next(entries, version: max(lost.number, found.number) + 1)
        let written = try next.written(with: [], keyring)
        try await insert(written)
        try await keep(next, written.installation)
        return next.mark
    }
}

extension Inventory {
    /// Whether a proposed change can still be approved: it was not made or rejected yet, and is not from before operators went back.
    ///
    /// - Parameter expiresAt: until when it can be approved.
    package func isOpen(proposal id: String, expiringAt expiresAt: Timestamp) -> Bool {
        let from = self[.proposalsFrom, ""].flatMap { Int64($0.value) } ?? .min
        return self[.closedProposal, id] == nil
            && expiresAt.seconds - ApprovalStatement.lifetimeSeconds >= from
    }

    /// The banks that it has.
    var banks: [Identifier] { entries(of: .bank).compactMap { Identifier($0.name) } }

    func written(with banks: [Inventory], _ keyring: Keyring) throws(KeyVaultError) -> NewInventory {
        NewInventory(
            installation: InventoryRecord(
                version: version, contents: text, mac: try keyring.authenticationCode(of: self)),
            banks: banks.compactMap { bank in
                bank.scope.map { BankInventoryRecord(bankId: $0, version: bank.version, contents: bank.text) }
            })
    }
}

extension [Inventory.Name: Inventory.Entry] {
    /// Removes what only the version before had to say.
    fileprivate mutating func removeOutdated(at now: Timestamp) {
        self[Inventory.Name(.lostVersion)] = nil
        for (name, entry) in self where name.kind == .closedProposal {
            // Its signature has expired too.
            if Int64(entry.value).map({ $0 < now.seconds }) ?? false { self[name] = nil }
        }
        if let from = self[Inventory.Name(.proposalsFrom)].flatMap({ Int64($0.value) }),
            from + ApprovalStatement.lifetimeSeconds < now.seconds
        {
            self[Inventory.Name(.proposalsFrom)] = nil
        }
    }
}
