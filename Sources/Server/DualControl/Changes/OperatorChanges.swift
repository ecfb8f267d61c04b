package import Administration
package import CardCompanion
package import CardCompanionModel
internal import CardCompanionStore
internal import KeyVault

/// `operator add`.
package struct AddOperator: Change {
    package static let command = "operator add"
    package static let alwaysNeedsTwo = true

    let name: String
    let publicKey: [UInt8]

    package init(name: String, publicKey: [UInt8]) {
        self.name = name
        self.publicKey = publicKey
    }

    package var bankId: Identifier? { nil }
    package var subject: String? { name }

    package func effect(at now: Timestamp) -> [String] { ["key \(OperatorRoster.fingerprint(publicKey))"] }

    package func details(in installation: Installation) async throws -> [String] {
        ["new operator '\(name)' with the key \(OperatorRoster.fingerprint(publicKey))"]
    }

    package func operators(after roster: OperatorRoster) throws -> OperatorRoster {
        try roster.adding(try OperatorRoster.Member(name: name, publicKey: publicKey))
    }

    package func apply(in installation: Installation, isApproved: Bool) async throws -> Shown {
        try await installation.changeOperators(self)
        return Shown(
            text: "added operator '\(name)' with the key \(OperatorRoster.fingerprint(publicKey))",
            json: ["operator": name])
    }
}

/// `operator remove`.
package struct RemoveOperator: Change {
    package static let command = "operator remove"
    package static let alwaysNeedsTwo = true

    let name: String

    package init(name: String) {
        self.name = name
    }

    package var bankId: Identifier? { nil }
    package var subject: String? { name }

    package func details(in installation: Installation) async throws -> [String] { ["operator '\(name)' is removed"] }
    package func operators(after roster: OperatorRoster) throws -> OperatorRoster { try roster.removing(name) }

    package func inventoryChange(
        in installation: Installation, approvalId: String?
    ) async throws -> InventoryChange {
        installation.approval(of: try await objects(in: installation), approvalId: approvalId)
    }

    package func objects(in installation: Installation) async throws -> [InventoryObject] {
        try await installation.presentObjects()
    }

    package func apply(in installation: Installation, isApproved: Bool) async throws -> Shown {
        try await installation.approvePresentObjects(try await objects(in: installation))
        try await installation.changeOperators(self)
        return Shown(text: "removed operator '\(name)'", json: ["operator": name])
    }
}

/// `operator dual-control`.
package struct SetDualControl: Change {
    package static let command = "operator dual-control"
    package static let alwaysNeedsTwo = true

    let isOn: Bool

    package init(isOn: Bool) {
        self.isOn = isOn
    }

    package var bankId: Identifier? { nil }
    package var subject: String? { isOn ? "on" : "off" }

    package func details(in installation: Installation) async throws -> [String] {
        ["dual control is switched \(isOn ? "on" : "off")"]
    }

    package func operators(after roster: OperatorRoster) throws -> OperatorRoster { try roster.with(isDual: isOn) }

    package func objects(in installation: Installation) async throws -> [InventoryObject] {
        isOn ? try await installation.presentObjects() : []
    }

    package func inventoryChange(
        in installation: Installation, approvalId: String?
    ) async throws -> InventoryChange {
        guard isOn else { return InventoryChange() }
        return installation.approval(of: try await objects(in: installation), approvalId: approvalId)
    }

    package func requirePossible(in installation: Installation) async throws {
        guard try await installation.operators()?.isDual != isOn else {
            throw CommandError.refused("dual control is \(isOn ? "on" : "off") already")
        }
    }

    package func apply(in installation: Installation, isApproved: Bool) async throws -> Shown {
        if isOn { try await installation.approvePresentObjects(try await objects(in: installation)) }
        try await installation.changeOperators(self)
        return Shown(
            text: """
                dual control is \(isOn ? "on" : "off"); running servers apply this within \(VaultWatch.intervalSeconds) seconds
                """,
            json: ["dualControl": isOn])
    }
}

extension Installation {
    /// What two operators sign takes the place of all earlier approvals.
    fileprivate func approval(of objects: [InventoryObject], approvalId: String?) -> InventoryChange {
        var change = InventoryChange()
        if let approvalId { change.approveOnly(objects, approvalId: approvalId) }
        return change
    }

    /// Changes the record of the operators in the vault of the settings.
    ///
    /// - Throws: ``CommandError`` if there are no operators.
    fileprivate func changeOperators(_ change: some Change) async throws {
        try await withVault(vaults.vault()) { vault in
            // Read again: another change of the operators can have come in between.
            guard let roster = try OperatorRoster.newest(of: try await vault.records(.operators)) else {
                throw CommandError.refused(
                    "this installation has no operators: 'card-companion vault init --first-operator' makes the first two"
                )
            }
            let changed = try change.operators(after: roster)
            // First this: with the new record, what only a removed operator has approved no longer counts.
            try await store.insertPendingInventory()
            try await vault.keep(changed.bytes, as: .operators)
        }
    }

    /// Makes the first operators.
    ///
    /// - Throws: ``CommandError`` if there are operators already.
    package func makeFirstOperators(_ members: [OperatorRoster.Member], isDual: Bool) async throws {
        if isDual, try await !store.banks().isEmpty {
            throw CommandError.refused(
                "there are banks already, and two operators must approve them: leave --dual-control out, and run "
                    + "'card-companion operator dual-control on'")
        }
        try await withVault(vaults.vault()) { vault in
            guard try await vault.records(.operators).isEmpty else {
                throw CommandError.refused(
                    "this installation already has operators: add another one with 'card-companion operator add'")
            }
            try await vault.keep(try OperatorRoster(first: members, isDual: isDual).bytes, as: .operators)
        }
    }
}
