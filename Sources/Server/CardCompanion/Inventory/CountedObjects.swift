package import CardCompanionModel
package import CardCompanionStore
internal import Cryptography
package import KeyVault
package import Logging
internal import Synchronization

/// Tells which objects count: those of the inventory and, under dual control, only those that two operators have approved.
package final class CountedObjects: Sendable {
    private struct State {
        var roster: OperatorRoster?
        /// Advances when the operators change.
        var generation = 0
        /// What two operators have approved, by the approval's id.
        var verified: [String: Set<[UInt8]>] = [:]
        /// Objects that were ignored: each is logged once.
        var ignored: Set<[UInt8]> = []
        /// Banks as the calls of back-ends need them.
        var banks: [Identifier: (bank: IssuerBank, generation: Int)] = [:]
    }

    /// How many ignored objects are remembered. When there are more, all are forgotten, and logged once more.
    static let ignoredCapacity = 10_000
    static let bankCapacity = 1_000
    /// How many verified approvals are remembered.
    static let verifiedCapacity = 1_000

    private let store: Store
    private let keyring: Keyring
    private let inventory: InventoryKeeper
    private let logger: Logger
    private let state = Mutex(State())

    package init(store: Store, keyring: Keyring, inventory: InventoryKeeper, logger: Logger) {
        self.store = store
        self.keyring = keyring
        self.inventory = inventory
        self.logger = logger
    }

    /// Whether objects need approvals.
    package var needApprovals: Bool { state.withLock { $0.roster?.isDual ?? false } }

    /// Advances when the operators or the inventory change. What was looked up before must be looked up again.
    var generation: Int { state.withLock(\.generation) + Int(inventory.known?.version ?? 0) }

    /// Reads the operators from the vault. A record that is older than the known one, or of another installation, is ignored.
    ///
    /// - Returns: whether they have changed: then what was loaded before must be loaded again.
    /// - Throws: `KeyVaultError`, ``DamagedOperators``, `StoreError`; ``NoOperatorRecord`` if the database has approvals, but the
    ///   vault no operators, and the server has never known any.
    package func refresh(from vault: any Vault) async throws -> Bool {
        let roster = try OperatorRoster.newest(of: try await vault.records(.operators))
        if roster == nil, state.withLock({ $0.roster == nil }) { try await store.requireNoApprovals() }
        return state.withLock { state in
            guard roster != state.roster else { return false }
            guard let roster, roster.isLater(than: state.roster) else {
                logger.critical(
                    "The vault's record of the operators is gone or too old: the server goes on with the record it has"
                )
                return false
            }
            state = State(roster: roster, generation: state.generation + 1)
            logger.notice(
                "Operators",
                metadata: [
                    "dual_control": "\(roster.isDual ? "on" : "off")", "sequence": "\(roster.sequence)",
                    "operators": "\(roster.members.map(\.name).joined(separator: " "))",
                ])
            return true
        }
    }

    /// Whether an object counts. If not, that is logged.
    func counts(_ object: InventoryObject) async throws -> Bool {
        try await counted([object]).contains(object)
    }

    /// Those of the objects that count. The others are logged.
    func counted(_ objects: [InventoryObject]) async throws -> Set<InventoryObject> {
        var counted = try await countedAsKnown(objects)
        if counted.count < Set(objects).count {
            // A command can have added them since.
            _ = try await inventory.present(keyring)
            counted = try await countedAsKnown(objects)
        }
        for object in objects where !counted.contains(object) { log(object) }
        return counted
    }

    /// According to the version of the inventory that is known.
    private func countedAsKnown(_ objects: [InventoryObject]) async throws -> Set<InventoryObject> {
        var listed: [InventoryObject: Inventory.Entry] = [:]
        for object in objects {
            if let entry = try await part(of: object.bankId)?.entry(of: object) { listed[object] = entry }
        }
        let current = state.withLock(\.self)
        guard let roster = current.roster, roster.isDual else { return Set(listed.keys) }
        var verified = current.verified
        let approved = try await roster.approved(listed, in: store, verified: &verified)
        state.withLock { state in
            guard state.generation == current.generation else { return }
            state.verified = verified.count > Self.verifiedCapacity ? [:] : verified
        }
        return approved
    }

    /// The part of the inventory about a bank, or about the installation; nil if it has none.
    private func part(of scope: Identifier?) async throws -> Inventory? {
        if inventory.known == nil { _ = try await inventory.present(keyring) }
        do {
            return try await inventory.part(of: scope)
        } catch let damage as DamagedBankInventory {
            if remembers(SHA256.hash(Array("\(damage)".utf8))) { logger.critical("\(damage)") }
            return nil
        }
    }

    /// Says once that a bank is ignored because this program does not understand its settings.
    func logUnreadable(_ bankId: Identifier, _ reason: String) {
        guard remembers(SHA256.hash(Array("unreadable \(bankId)".utf8))) else { return }
        logger.error("Ignored a bank", metadata: ["error": "\(reason)"])
    }

    /// Whether something that is ignored is new.
    private func remembers(_ digest: [UInt8]) -> Bool {
        state.withLock { state in
            if state.ignored.count >= Self.ignoredCapacity { state.ignored.removeAll() }
            return state.ignored.insert(digest).inserted
        }
    }

    private func log(_ object: InventoryObject) {
        guard remembers(object.digest) else { return }
        logger.error(
            needApprovals
                ? "Ignored what two operators have not approved: see 'card-companion approve'"
                : "Ignored what is not in the inventory: no command of this installation has made it so",
            metadata: ["object": "\(ClientText.quoted(object.name, limit: 300))"])
    }
}

// MARK: - Objects that servers load

extension CountedObjects {
    /// The part of a bank that counts; nil if the bank itself does not.
    func countedPart(of found: BankWithKeys) async throws -> BankWithKeys? {
        // A bank is loaded when it has changed: then the inventory may have, too.
        _ = try await inventory.present(keyring)
        guard try await hasCountedSettings(found.bank) else { return nil }
        let bankId = found.bank.id
        let hmacKeys = found.hmacKeys.filter { $0.status == .active }.map { key in
            (key, try? InventoryObject(key, of: bankId, keyring: keyring))
        }
        let certificates = found.certificates.filter { $0.status == .active }.map {
            ($0, InventoryObject($0, of: bankId))
        }
        let pinKey = found.definedPINKey.flatMap { try? InventoryObject($0, of: bankId, keyring: keyring) }
        // The vault was lost meanwhile: a key that does not open may still count.
        guard keyring.isOpen else { throw KeyVaultError.vaultClosed }
        let counted = try await counted(
            hmacKeys.compactMap(\.1) + certificates.map(\.1) + (pinKey.map { [$0] } ?? []))
        let lists = try await revocationLists(of: found)
        let present = certificates.filter { counted.contains($0.1) }.map(\.0)
        return BankWithKeys(
            bank: found.bank,
            // One that does not open is of no use to anybody, and callers must learn that.
            hmacKeys: hmacKeys.filter { $0.1.map(counted.contains) ?? true }.map(\.0),
            definedPINKey: pinKey.flatMap { counted.contains($0) ? found.definedPINKey : nil },
            certificates: present.compactMap { lists.checked($0) }, revocationLists: found.revocationLists,
            sealsResults: found.sealsResults ? true : try await lacksCertificate(found))
    }

    /// The bank's CRLs that count, and the issuers that must have one.
    private func revocationLists(of found: BankWithKeys) async throws -> CountedRevocationLists {
        let objects = found.revocationLists.map { ($0, InventoryObject($0, of: found.bank.id)) }
        let counted = try await counted(objects.map(\.1))
        let issuers = try await part(of: found.bank.id)?.entries(of: .revocationList).map(\.name) ?? []
        return CountedRevocationLists(
            lists: objects.filter { counted.contains($0.1) }.map(\.0), issuers: issuers)
    }

    /// Whether the inventory has a certificate that the database lacks. It can be the one that results are sealed to.
    private func lacksCertificate(_ found: BankWithKeys) async throws -> Bool {
        guard let part = try await part(of: found.bank.id) else { return false }
        return part.entries(of: .certificate).contains { listed in
            !found.certificates.contains { $0.alias.utf8.elementsEqual(listed.name.utf8) }
        }
    }

    /// A bank's key for PIN blocks or key blocks; nil if there is none, or it is active and does not count.
    package func bankKey(bankId: Identifier, label: String) async throws -> BankKeyRecord? {
        guard let key = try await store.bankKey(bankId: bankId, label: label) else { return nil }
        guard key.status == .active else { return key }
        return try await counts(try InventoryObject(key, of: bankId, keyring: keyring)) ? key : nil
    }

    /// Those keys of back-ends that count or are disabled. A secret that does not open is left out.
    func counted(_ keys: [IssuerKeyRecord]) async throws -> [IssuerKeyRecord] {
        guard !keys.isEmpty else { return [] }
        _ = try await inventory.present(keyring)
        var result = keys.filter { $0.status == .disabled }
        for key in keys where key.status == .active {
            guard let object = try? InventoryObject(key, keyring: keyring) else {
                guard keyring.isOpen else { throw KeyVaultError.vaultClosed }
                continue
            }
            if try await counts(object) { result.append(key) }
        }
        return result
    }

    /// What a call needs to know about its bank: only what counts; nil if the bank does not.
    func countedPart(of caller: CallingBank) async throws -> IssuerBank? {
        let generation = generation
        if let known = state.withLock({ $0.banks[caller.id] }), known.bank.revision == caller.revision,
            known.generation == generation
        {
            return known.bank.limited(to: caller)
        }
        guard let found = try await store.bankWithKeys(id: caller.id), let part = try await countedPart(of: found)
        else { return nil }
        let counted = IssuerBank(part)
        state.withLock { state in
            if state.banks.count >= Self.bankCapacity { state.banks.removeAll() }
            state.banks[caller.id] = (counted, generation)
        }
        return counted.limited(to: caller)
    }

    /// A bank's webhook; nil if there is none, or it is active and does not count.
    package func webhook(bankId: Identifier) async throws -> WebhookRecord? {
        guard let webhook = try await store.webhook(bankId: bankId) else { return nil }
        guard webhook.status == .active else { return webhook }
        return try await counts(InventoryObject(webhook)) ? webhook : nil
    }

    /// An active document client; nil if there is none, or it does not count.
    func documentClient(id: String) async throws -> CurrentDocumentClient? {
        guard let found = try await store.currentDocumentClient(id: id), found.client.status == .active else {
            return nil
        }
        return try await counts(InventoryObject(found.client)) ? found : nil
    }

    /// Whether the bank has the settings of the inventory and, under dual control, whether two operators have approved them, or
    /// others that were only tightened since.
    private func hasCountedSettings(_ bank: BankRecord) async throws -> Bool {
        let present = InventoryObject(BankPolicy(bank))
        guard try await isListed(present) else {
            log(present)
            return false
        }
        guard needApprovals else { return true }
        guard let text = bank.approvedSettings, BankPolicy(bank).isWithin(text),
            try await counts(InventoryObject(approvedSettings: text, of: bank.id))
        else {
            log(present)
            return false
        }
        return true
    }

    /// Whether the inventory has an object, approved or not.
    private func isListed(_ object: InventoryObject) async throws -> Bool {
        if try await part(of: object.bankId)?.entry(of: object) != nil { return true }
        _ = try await inventory.present(keyring)
        return try await part(of: object.bankId)?.entry(of: object) != nil
    }

    /// How many objects of a kind the inventory has for a bank.
    func count(_ kind: InventoryKind, of scope: Identifier?) async throws -> Int {
        try await part(of: scope)?.entries(of: kind).count ?? 0
    }
}

/// A bank's CRLs, as the inventory has them.
private struct CountedRevocationLists {
    let lists: [RevocationListContents]
    /// Those that must have a list.
    let issuers: [String]

    /// The certificate with what its issuer's list says; nil if that list is not the one of the inventory.
    func checked(_ certificate: CertificateRecord) -> CertificateRecord? {
        let isIssuer = { (name: String) in name.utf8.elementsEqual(certificate.issuer.utf8) }
        guard let list = lists.first(where: { isIssuer($0.record.issuer) }) else {
            return issuers.contains(where: isIssuer) ? nil : certificate.with(revocation: .notChecked)
        }
        let isListed = list.serials.contains(certificate.serial)
        return certificate.with(revocation: Revocation(listEnds: list.record.nextUpdate, isListed: isListed))
    }
}

extension Inventory {
    /// The entry of an object, if it is exactly that object.
    package func entry(of object: InventoryObject) -> Entry? {
        entries[object.inventoryName].flatMap { $0.value == object.value ? $0 : nil }
    }
}
