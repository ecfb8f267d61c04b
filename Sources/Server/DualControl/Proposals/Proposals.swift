package import Administration
package import CardCompanion
package import CardCompanionModel
internal import CardCompanionStore
package import KeyVault

// How a change is proposed by one operator and approved by another one.

extension Installation {
    /// The operators; nil if the installation has none.
    ///
    /// - Throws: `NoOperatorRecord` if the vault of the settings cannot be the right one.
    package func operators() async throws -> OperatorRoster? {
        let roster = try await operators(of: vaults.vault())
        if roster == nil { try await store.requireNoApprovals() }
        return roster
    }

    /// The operators that a vault knows.
    package func operators(of vault: any Vault) async throws -> OperatorRoster? {
        try await withVault(vault) { try OperatorRoster.newest(of: try await $0.records(.operators)) }
    }

    /// Makes a change, or proposes it if another operator must approve it.
    package func make<C: Change>(_ change: C, signing signer: some OperatorSigner) async throws -> Shown {
        // First this, so that what only takes away needs no vault.
        guard try await change.needsApproval(in: self), let roster = try await change.operators(in: self),
            C.alwaysNeedsTwo || roster.isDual
        else { return try await make(change) }
        return try await propose(change, roster, signing: signer)
    }

    /// Makes a change that needs no other operator.
    package func make<C: Change>(_ change: C) async throws -> Shown {
        let action = AdminAction(
            command: C.command, bankId: change.bankId, subject: change.subject, cardholder: change.cardholder,
            effect: change.effect(at: clock.now()))
        return try await action.recorded(in: logger) {
            try await changingInventory(of: change) {
                try await change.apply(in: self, isApproved: false)
            }
        }
    }

    private func propose<C: Change>(
        _ change: C, _ roster: OperatorRoster, signing signer: some OperatorSigner
    ) async throws -> Shown {
        try signer.requireSigner()
        try await change.requirePossible(in: self)
        let bytes = try Changes.encode(change)
        guard bytes.count <= Self.changeByteLimit else {
            throw CommandError.badInput("the change is too long to be approved: at most \(Self.changeByteLimit) bytes")
        }
        try await requireNew(change, bytes)
        let objects = try await change.objects(in: self)
        // Nobody signs what they have not seen.
        try await show(change, objects, title: "'\(C.command)'")
        let statement = try ApprovalStatement(
            installationId: roster.installationId, action: C.command, change: bytes, objects: objects, now: clock.now())
        let signature = try await signer.sign(statement, in: roster)
        try requireRemaining(signature, after: change, roster)
        // Somebody can have thought long before they typed the passphrase.
        try await require(change, stillLeaves: objects)
        let proposal = ProposedChange(
            id: statement.id, action: C.command, change: bytes, statement: statement.text,
            operatorName: signature.operatorName, signature: signature.signature, expiresAt: statement.expiresAt)
        try await AdminAction(
            command: "propose", bankId: change.bankId, subject: "\(C.command) \(statement.id)",
            effect: change.effect(at: clock.now()), operators: [signature.operatorName]
        ).recorded(in: logger) { try await store.insertProposedChange(proposal) }
        return Shown(
            text: """
                '\(C.command)' waits until another operator approves it: 'card-companion approve \(statement.id)'. It can be \
                approved until \(statement.expiresAt.text)
                """,
            json: ["waitsForApproval": statement.id, "until": statement.expiresAt.text])
    }

    private static let changeByteLimit = 1 << 20

    /// Refuses a change that waits already, and names others of the same kind: one of them may be what the operator wants.
    private func requireNew<C: Change>(_ change: C, _ bytes: [UInt8]) async throws {
        for waiting in try await waitingChanges() where waiting.hasSubject(of: change) {
            guard waiting.proposal.change != bytes else {
                throw CommandError.refused(
                    "this change waits already, until \(waiting.proposal.expiresAt.text). Another operator than "
                        + "'\(waiting.proposal.operatorName)' approves it with 'card-companion approve \(waiting.proposal.id)', or it is "
                        + "rejected with --reject")
            }
            note("  another change like this waits: \(waiting.text)")
        }
    }

    /// Shows a proposed change to the second operator. When they have signed it, the change is made.
    package func approve(_ proposal: ProposedChange, signing signer: some OperatorSigner) async throws -> Shown {
        guard let type = Changes.type(of: proposal.action) else {
            throw CommandError.refused("this program does not know '\(proposal.action)'")
        }
        return try await approve(try Changes.decode(type, from: proposal.change), proposal, signing: signer)
    }

    private func approve<C: Change>(
        _ change: C, _ proposal: ProposedChange, signing signer: some OperatorSigner
    ) async throws -> Shown {
        guard let roster = try await change.operators(in: self) else {
            throw CommandError.refused("there are no operators")
        }
        try await requireOpen(proposal, of: change)
        try await requirePossible(change, of: proposal)
        let objects = try await change.objects(in: self)
        let statement = try verified(proposal, about: objects)
        let first = OperatorSignature(operatorName: proposal.operatorName, signature: proposal.signature)
        guard signer.name != first.operatorName else { throw ApprovalRefusal.sameOperator(first.operatorName) }
        guard first.isValid(for: statement.text, in: roster) else {
            throw ApprovalRefusal.invalidSignature(first.operatorName)
        }
        try await show(change, objects, title: "'\(C.command)', proposed by \(first.operatorName)")
        let approval = try Approval(statement, first, try await signer.sign(statement, in: roster), in: roster)
        for signature in [approval.first, approval.second] {
            try requireRemaining(signature, after: change, roster)
        }
        try await require(change, stillLeaves: objects)
        return try await AdminAction(
            command: C.command, bankId: change.bankId, subject: change.subject, cardholder: change.cardholder,
            effect: change.effect(at: clock.now()),
            operators: [approval.first.operatorName, approval.second.operatorName], approvalId: statement.id
        ).recorded(in: logger) { try await make(change, approval, objects, of: proposal) }
    }

    /// Stores the approval, and makes the change. The inventory names the approval, and notes that the proposal was used.
    private func make<C: Change>(
        _ change: C, _ approval: Approval, _ objects: [InventoryObject], of proposal: ProposedChange
    ) async throws -> Shown {
        try await store.insertApproval(NewApproval(approval), now: clock.now())
        let shown =
            if C.writesInventory {
                try await change.apply(in: self, isApproved: true)
            } else {
                try await changingInventory {
                    try await requireOpen(proposal, of: change)
                    guard try await change.objects(in: self) == objects else { throw Self.hasChanged }
                    var next = try await change.inventoryChange(in: self, approvalId: approval.statement.id)
                    next.close(proposal)
                    return next
                } _: {
                    try await change.apply(in: self, isApproved: true)
                }
            }
        _ = try await reject(proposal)
        return shown
    }

    /// Makes a change that nobody has approved, with what it is in the inventory.
    private func changingInventory<C: Change, Result>(
        of change: C, _ body: () async throws -> Result
    ) async throws -> Result {
        guard !C.writesInventory else { return try await body() }
        do {
            return try await changingInventory(
                { try await change.inventoryChange(in: self, approvalId: nil) }, body)
        } catch let error as KeyVaultError where change.isEmergency {
            note(
                "warning: the vault does not open, so the inventory does not have this change: servers ignore the bank (\(error))"
            )
            return try await body()
        }
    }

    /// Removes a proposed change. It cannot be approved any more, even if somebody puts it back.
    ///
    /// - Returns: false if it is gone already.
    package func reject(_ proposal: ProposedChange) async throws -> Bool {
        try await changingInventory {
            var change = InventoryChange()
            change.close(proposal)
            return change
        } _: {
            try await store.deleteProposedChange(id: proposal.id)
        }
    }

    /// Refuses a proposed change that was made or rejected already.
    private func requireOpen(_ proposal: ProposedChange, of change: some Change) async throws {
        // The time that was signed, and not that of the row.
        guard let statement = ApprovalStatement(proposal.statement) else { throw Self.isDamaged }
        let inventory = try await change.inventory(in: self)
        let isOpen = inventory?.isOpen(proposal: proposal.id, expiringAt: statement.expiresAt) ?? true
        guard isOpen else {
            throw CommandError.refused(
                "this change was made or rejected already, or is from before operators accepted an older inventory: run the "
                    + "command again if you want it")
        }
    }

    /// The newest inventory; nil if there is none yet.
    package func inventory() async throws -> Inventory? {
        try await withDataKeys { dataKeys in try await dataKeys.inventory.newest(try await dataKeys.opened()) }
    }

    /// A bank's part of the newest inventory; nil if it does not have the bank.
    package func inventory(of bankId: Identifier) async throws -> Inventory? {
        try await withDataKeys { dataKeys in
            _ = try await dataKeys.inventory.newest(try await dataKeys.opened())
            return try await dataKeys.inventory.part(of: bankId)
        }
    }
}

// MARK: - What is signed

extension Installation {
    /// Shows what an operator signs, line by line: what changes, and each object that servers will accept.
    private func show(_ change: some Change, _ objects: [InventoryObject], title: String) async throws {
        note(ClientText.printable("\(title)\(change.bankId.map { " for bank '\($0)'" } ?? ""):"))
        var lines = try await change.details(in: self)
        let known = try await accepted(objects)
        for object in objects {
            lines.append("servers will \(known.contains(object) ? "still " : "")accept: \(object.name)")
            lines += object.contents.map { "  \($0)" }
        }
        for line in lines { note(ClientText.printable("  \(line)")) }
    }

    /// Those of the objects that servers accept: they are in the inventory and, under dual control, two of the present operators have
    /// approved them.
    package func accepted(_ objects: [InventoryObject]) async throws -> Set<InventoryObject> {
        guard !objects.isEmpty else { return [] }
        let roster = try await operators()
        return try await withDataKeys { dataKeys in
            let listed = try await dataKeys.listed(objects)
            guard let roster, roster.isDual else { return Set(listed.keys) }
            var verified: [String: Set<[UInt8]>] = [:]
            return try await roster.approved(listed, in: store, verified: &verified)
        }
    }

    private func requirePossible(_ change: some Change, of proposal: ProposedChange) async throws {
        do {
            try await change.requirePossible(in: self)
        } catch let error as CommandError {
            throw CommandError.refused(
                "\(error.message). The proposed change cannot be made: reject it with 'card-companion approve "
                    + "\(proposal.id) --reject'")
        }
    }

    private func require(_ change: some Change, stillLeaves objects: [InventoryObject]) async throws {
        try await change.requirePossible(in: self)
        guard try await change.objects(in: self) == objects else { throw Self.hasChanged }
    }

    private static let isDamaged = CommandError.refused("the proposal is damaged: run the command again")

    private static let hasChanged = CommandError.refused(
        "the effect of this change is no longer what the first operator has signed: run the command again")

    /// The signature of somebody whom the change removes would not count afterwards.
    private func requireRemaining(
        _ signature: OperatorSignature, after change: some Change, _ roster: OperatorRoster
    ) throws {
        let name = signature.operatorName
        guard try change.operators(after: roster).member(name) != nil else {
            throw CommandError.refused("operator '\(name)' is removed by this change: two others must sign it")
        }
    }

    /// The statement of a proposal, if it is about these objects.
    private func verified(_ proposal: ProposedChange, about objects: [InventoryObject]) throws -> ApprovalStatement {
        guard let statement = ApprovalStatement(proposal.statement), statement.action == proposal.action,
            statement.id == proposal.id
        else { throw Self.isDamaged }
        guard statement.expiresAt >= clock.now() else { throw ApprovalRefusal.expired }
        guard statement.isAbout(proposal.change, objects) else { throw Self.hasChanged }
        return statement
    }
}

extension InventoryChange {
    fileprivate mutating func close(_ proposal: ProposedChange) {
        close(proposal: proposal.id, expiringAt: proposal.expiresAt)
    }
}

extension NewApproval {
    init(_ approval: Approval) {
        self.init(
            id: approval.statement.id, statement: approval.statement.text,
            firstOperator: approval.first.operatorName, firstSignature: approval.first.signature,
            secondOperator: approval.second.operatorName, secondSignature: approval.second.signature)
    }
}
