package import CardCompanionModel
package import CardCompanionStore
internal import Cryptography
package import KeyVault
package import Logging
internal import Synchronization

/// Tells which objects two operators have approved. Without dual control, everything is approved.
package final class Approvals: Sendable {
    private struct State {
        var roster: OperatorRoster?
        /// Advances when the operators change.
        var generation = 0
        /// What two operators have approved, by the approval's id.
        var verified: [String: Set<[UInt8]>] = [:]
        /// Objects that were ignored: each is logged once.
        var ignored: Set<[UInt8]> = []
        /// Banks as the calls of back-ends need them.
        var banks: [Identifier: IssuerBank] = [:]
    }

    /// How many ignored objects are remembered. When there are more, all are forgotten, and logged once more.
    static let ignoredCapacity = 10_000
    static let bankCapacity = 1_000
    /// How many verified approvals are remembered.
    static let verifiedCapacity = 1_000

    private let store: Store
    private let keyring: Keyring
    private let logger: Logger
    private let state = Mutex(State())

    package init(store: Store, keyring: Keyring, logger: Logger) {
        self.store = store
        self.keyring = keyring
        self.logger = logger
    }

    /// Whether objects need approvals.
    package var areNeeded: Bool { state.withLock { $0.roster?.isDual ?? false } }

    /// Advances when the operators change. What was approved before must be looked up again.
    var generation: Int { state.withLock(\.generation) }

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

    /// Whether two operators have approved an object. If not, that is logged.
    func isApproved(_ object: ApprovedObject) async throws -> Bool {
        try await approved([object]).contains(object.digest)
    }

    /// The digests of those objects that two operators have approved.
    func approved(_ objects: [ApprovedObject]) async throws -> Set<[UInt8]> {
        let digests = Set(objects.map(\.digest))
        let current = state.withLock(\.self)
        guard let roster = current.roster, roster.isDual else { return digests }
        // Which approval an object has is looked up each time, because it can be withdrawn. What two operators have signed
        // cannot change.
        var verified = current.verified
        let approved = try await roster.approvedDigests(of: Array(digests), in: store, verified: &verified)
        state.withLock { state in
            guard state.generation == current.generation else { return }
            state.verified = verified.count > Self.verifiedCapacity ? [:] : verified
        }
        for object in objects where !approved.contains(object.digest) { log(object) }
        return approved
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

    private func log(_ object: ApprovedObject) {
        guard remembers(object.digest) else { return }
        logger.error(
            "Ignored what two operators have not approved: see 'card-companion approve'",
            metadata: ["object": "\(ClientText.quoted(object.name, limit: 300))"])
    }
}

// MARK: - Objects that servers load

extension Approvals {
    /// The part of a bank that two operators have approved; nil if they have not approved the bank itself.
    func approvedPart(of found: BankWithKeys) async throws -> BankWithKeys? {
        guard areNeeded else { return found }
        guard try await hasApprovedSettings(found.bank) else { return nil }
        let bankId = found.bank.id
        let hmacKeys = found.hmacKeys.filter { $0.status == .active }.map { key in
            (key, try? ApprovedObject(key, of: bankId, keyring: keyring))
        }
        let certificates = found.certificates.filter { $0.status == .active }.map {
            ($0, ApprovedObject($0, of: bankId))
        }
        let pinKey = found.definedPINKey.flatMap { try? ApprovedObject($0, of: bankId, keyring: keyring) }
        // The vault was lost meanwhile: a key that does not open may still be approved.
        guard keyring.isOpen else { throw KeyVaultError.vaultClosed }
        let approved = try await approved(
            hmacKeys.compactMap(\.1) + certificates.map(\.1) + (pinKey.map { [$0] } ?? []))
        return BankWithKeys(
            bank: found.bank,
            hmacKeys: hmacKeys.filter { $0.1.map { approved.contains($0.digest) } ?? false }.map(\.0),
            definedPINKey: pinKey.flatMap { approved.contains($0.digest) ? found.definedPINKey : nil },
            certificates: certificates.filter { approved.contains($0.1.digest) }.map(\.0),
            sealsResults: found.sealsResults)
    }

    /// A bank's key for PIN blocks or key blocks; nil if there is none, or it is not approved.
    package func bankKey(bankId: Identifier, label: String) async throws -> BankKeyRecord? {
        guard let key = try await store.bankKey(bankId: bankId, label: label) else { return nil }
        guard areNeeded else { return key }
        return try await isApproved(try ApprovedObject(key, of: bankId, keyring: keyring)) ? key : nil
    }

    /// Those keys of back-ends that are approved or disabled. A secret that does not open is left out.
    func approved(_ keys: [IssuerKeyRecord]) async throws -> [IssuerKeyRecord] {
        guard areNeeded else { return keys }
        var result = keys.filter { $0.status == .disabled }
        for key in keys where key.status == .active {
            guard let object = try? ApprovedObject(key, keyring: keyring) else {
                guard keyring.isOpen else { throw KeyVaultError.vaultClosed }
                continue
            }
            if try await isApproved(object) { result.append(key) }
        }
        return result
    }

    /// What a call needs to know about its bank: only what is approved; nil if the bank is not.
    func approvedPart(of bank: IssuerBank) async throws -> IssuerBank? {
        guard areNeeded else { return bank }
        let generation = generation
        if let known = state.withLock({ $0.banks[bank.id] }), known.revision == bank.revision {
            return known.limited(to: bank)
        }
        guard let found = try await store.bankWithKeys(id: bank.id), let part = try await approvedPart(of: found) else {
            return nil
        }
        let approved = IssuerBank(part)
        state.withLock { state in
            guard state.generation == generation else { return }
            if state.banks.count >= Self.bankCapacity { state.banks.removeAll() }
            state.banks[bank.id] = approved
        }
        return approved.limited(to: bank)
    }

    /// A bank's webhook; nil if there is none, or it is not approved.
    package func webhook(bankId: Identifier) async throws -> WebhookRecord? {
        guard let webhook = try await store.webhook(bankId: bankId) else { return nil }
        return try await isApproved(ApprovedObject(webhook)) ? webhook : nil
    }

    /// An active document client; nil if there is none, or it is not approved.
    func documentClient(id: String) async throws -> CurrentDocumentClient? {
        guard let found = try await store.currentDocumentClient(id: id), found.client.status == .active else {
            return nil
        }
        return try await isApproved(ApprovedObject(found.client)) ? found : nil
    }

    private func hasApprovedSettings(_ bank: BankRecord) async throws -> Bool {
        guard let text = bank.approvedSettings else {
            log(ApprovedObject(BankPolicy(bank)))
            return false
        }
        let object = ApprovedObject(settings: text, of: bank.id)
        guard try await isApproved(object) else { return false }
        guard BankPolicy(bank).isWithin(text) else {
            log(ApprovedObject(BankPolicy(bank)))
            return false
        }
        return true
    }
}

extension OperatorRoster {
    /// The objects that two of these operators have approved.
    ///
    /// - Parameter verified: the objects of approvals that were verified before, by id. Others are added.
    package func approvedDigests(
        of digests: [[UInt8]], in store: Store, verified: inout [String: Set<[UInt8]>]
    ) async throws(StoreError) -> Set<[UInt8]> {
        let found = try await store.approvalIds(ofObjects: digests)
        let unknown = Set(found.map(\.approvalId)).subtracting(verified.keys)
        for record in try await store.approvals(ids: Array(unknown)) {
            // What does not verify is not remembered: the right approval may still come.
            let digests = record.approvedDigests(in: self)
            if !digests.isEmpty { verified[record.id] = digests }
        }
        return Set(found.filter { verified[$0.approvalId]?.contains($0.objectDigest) ?? false }.map(\.objectDigest))
    }
}

extension ApprovalRecord {
    /// The objects that it really approves.
    fileprivate func approvedDigests(in roster: OperatorRoster) -> Set<[UInt8]> {
        let first = OperatorSignature(operatorName: firstOperator, signature: firstSignature)
        let second = OperatorSignature(operatorName: secondOperator, signature: secondSignature)
        guard let statement = ApprovalStatement(statement), statement.id == id,
            let approval = try? Approval(statement, first, second, in: roster)
        else { return [] }
        return Set(approval.statement.objectDigests)
    }
}
