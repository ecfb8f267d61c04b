import CardCompanion
import CardCompanionModel
import CardCompanionServer
import CardCompanionStore
import Foundation
import KeyVault

// How a change is proposed by one operator and approved by another one.

extension Installation {
    /// The operators; nil if the installation has none.
    ///
    /// - Throws: `NoOperatorRecord` if the vault of the settings cannot be the right one.
    func operators() async throws -> OperatorRoster? {
        let roster = try await operators(of: settings.vault.vault(forServer: false))
        if roster == nil { try await store.requireNoApprovals() }
        return roster
    }

    /// The operators that a vault knows.
    func operators(of vault: any Vault) async throws -> OperatorRoster? {
        try await withVault(vault) { try OperatorRoster.newest(of: try await $0.operatorRecords()) }
    }

    /// Makes a change, or proposes it if another operator must approve it.
    func make<C: Change>(_ change: C, signing options: OperatorOptions) async throws -> Shown {
        // First this, so that what only takes away needs no vault.
        guard try await change.needsApproval(in: self), let roster = try await change.operators(in: self),
            C.alwaysNeedsTwo || roster.isDual
        else { return try await make(change) }
        return try await propose(change, roster, signing: options)
    }

    /// Makes a change that needs no other operator.
    func make<C: Change>(_ change: C) async throws -> Shown {
        try await AdminAction(command: C.command, bankId: change.bankId, subject: change.subject).recorded(in: logger) {
            try await change.apply(in: self, isApproved: false)
        }
    }

    private func propose<C: Change>(
        _ change: C, _ roster: OperatorRoster, signing options: OperatorOptions
    ) async throws -> Shown {
        try options.requireSigner()
        try await change.requirePossible(in: self)
        let bytes = try Changes.encode(change)
        guard bytes.count <= Self.changeByteLimit else {
            throw CommandError.badInput("the change is too long to be approved: at most \(Self.changeByteLimit) bytes")
        }
        let statement = try ApprovalStatement(
            installationId: roster.installationId, action: C.command, change: bytes,
            objects: try await change.objects(in: self), now: clock.now())
        let signature = try await options.sign(statement, in: roster)
        try requireRemaining(signature, after: change, roster)
        try await AdminAction(
            command: "propose", bankId: change.bankId, subject: "\(C.command) \(statement.id)",
            operators: [signature.operatorName]
        ).recorded(in: logger) {
            try await store.insertProposedChange(
                ProposedChange(
                    id: statement.id, action: C.command, change: bytes, statement: statement.text,
                    operatorName: signature.operatorName, signature: signature.signature,
                    expiresAt: statement.expiresAt))
        }
        return Shown(
            text: """
                '\(C.command)' waits until another operator approves it: 'card-companion approve \(statement.id)'. It can be \
                approved until \(statement.expiresAt.text)
                """,
            json: ["waitsForApproval": statement.id, "until": statement.expiresAt.text])
    }

    private static let changeByteLimit = 1 << 20

    /// Signs a proposed change as the second operator, and makes it.
    func approve(_ proposal: ProposedChange, signing options: OperatorOptions) async throws -> Shown {
        guard let type = Changes.type(of: proposal.action) else {
            throw CommandError.refused("this program does not know '\(proposal.action)'")
        }
        return try await approve(try Changes.decode(type, from: proposal.change), proposal, signing: options)
    }

    private func approve<C: Change>(
        _ change: C, _ proposal: ProposedChange, signing options: OperatorOptions
    ) async throws -> Shown {
        guard let roster = try await change.operators(in: self) else {
            throw CommandError.refused("there are no operators")
        }
        try await change.requirePossible(in: self)
        let objects = try await change.objects(in: self)
        let statement = try verified(proposal, about: objects)
        let first = OperatorSignature(operatorName: proposal.operatorName, signature: proposal.signature)
        guard options.name != first.operatorName else { throw ApprovalRefusal.sameOperator(first.operatorName) }
        guard first.isValid(for: statement.text, in: roster) else {
            throw ApprovalRefusal.invalidSignature(first.operatorName)
        }
        let approval = try Approval(statement, first, try await options.sign(statement, in: roster), in: roster)
        for signature in [approval.first, approval.second] {
            try requireRemaining(signature, after: change, roster)
        }
        // Somebody can have thought long before they typed the passphrase.
        guard try await change.objects(in: self) == objects else { throw Self.hasChanged }
        return try await AdminAction(
            command: C.command, bankId: change.bankId, subject: change.subject,
            operators: [approval.first.operatorName, approval.second.operatorName]
        ).recorded(in: logger) { try await make(change, approval, objects, of: proposal) }
    }

    /// Stores the approval, and makes the change. If that fails, the approval is withdrawn.
    private func make(
        _ change: some Change, _ approval: Approval, _ objects: [ApprovedObject], of proposal: ProposedChange
    ) async throws -> Shown {
        let replaced = try await change.replacedObjects(in: self)
        let before = try await store.approvalIds(ofObjects: objects.map(\.digest)).map(\.objectDigest)
        // The approval comes first: servers ignore an object until they find its approval.
        try await store.insertApproval(NewApproval(approval), now: clock.now())
        let shown: Shown
        do {
            shown = try await change.apply(in: self, isApproved: true)
        } catch {
            try await withdraw(objects.filter { !before.contains($0.digest) })
            throw error
        }
        try await withdraw(replaced.filter { !objects.contains($0) })
        _ = try await store.deleteProposedChange(id: proposal.id)
        return shown
    }

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
    private func verified(_ proposal: ProposedChange, about objects: [ApprovedObject]) throws -> ApprovalStatement {
        guard let statement = ApprovalStatement(proposal.statement), statement.action == proposal.action,
            statement.id == proposal.id
        else { throw CommandError.refused("the proposal is damaged: run the command again") }
        guard statement.expiresAt >= clock.now() else { throw ApprovalRefusal.expired }
        guard statement.isAbout(proposal.change, objects) else { throw Self.hasChanged }
        return statement
    }

    /// Takes approvals away: servers then ignore these objects.
    func withdraw(_ objects: [ApprovedObject]) async throws {
        guard !objects.isEmpty else { return }
        try await store.deleteApprovals(ofObjects: objects.map(\.digest))
    }
}

extension NewApproval {
    init(_ approval: Approval) {
        self.init(
            id: approval.statement.id, statement: approval.statement.text,
            firstOperator: approval.first.operatorName, firstSignature: approval.first.signature,
            secondOperator: approval.second.operatorName, secondSignature: approval.second.signature,
            objectDigests: approval.statement.objectDigests)
    }
}
