package import Administration
package import CardCompanion
package import CardCompanionModel
package import CardCompanionStore
package import KeyVault

/// A key, a certificate, an app or the webhook of a bank.
package struct BankItem: Sendable {
    package let name: String
    package let status: Activity
    /// As the inventory has it; nil if it does not open, so that no server can use it.
    package let object: InventoryObject?

    package init(name: String, status: Activity, object: InventoryObject?) {
        self.name = name
        self.status = status
        self.object = object
    }
}

/// Keys, certificates or apps of a bank: each has a name, and can be enabled and disabled.
package protocol BankItems: Sendable {
    /// Its command: `key`.
    static var command: String { get }
    /// One of them, for people: `key`.
    static var noun: String { get }
    /// The JSON member with its name: `label`.
    static var nameMember: String { get }

    /// What the inventory calls them.
    static var inventoryKinds: [InventoryKind] { get }

    /// All of a bank.
    static func items(of bankId: Identifier, in store: Store, _ keyring: Keyring) async throws -> [BankItem]

    /// - Returns: false if the bank has none of that name.
    static func set(
        _ name: String, of bankId: Identifier, to status: Activity, in store: Store
    ) async throws -> Bool
}

/// `enable` of one kind of items.
package struct Enable<Items: BankItems>: Change {
    package static var command: String { "\(Items.command) enable" }

    let bank: Identifier
    let name: String

    package init(bank: Identifier, name: String) {
        self.bank = bank
        self.name = name
    }

    package var bankId: Identifier? { bank }
    package var subject: String? { name }

    package func effect(at now: Timestamp) -> [String] { ["status DISABLED -> ACTIVE"] }

    package func requirePossible(in installation: Installation) async throws {
        _ = try await installation.bank(bank)
        let items = try await installation.items(Items.self, name, of: bank)
        guard !items.isEmpty else { throw Items.missing(name, of: bank) }
        guard items.allSatisfy({ $0.object != nil }) else {
            throw CommandError.refused(
                "the \(Items.noun) '\(name)' cannot be opened with the data keys of this installation")
        }
    }

    package func objects(in installation: Installation) async throws -> [InventoryObject] {
        try await installation.items(Items.self, name, of: bank).compactMap(\.object)
    }

    package func apply(in installation: Installation, isApproved: Bool) async throws -> Shown {
        try await installation.set(Items.self, name, of: bank, to: .active)
    }
}

extension BankItems {
    fileprivate static func missing(_ name: String, of bank: Identifier) -> CommandError {
        .notFound("bank '\(bank)' has no \(noun) '\(name)'")
    }
}

extension Installation {
    /// Disables an item. One operator can do it, and without the vault. Servers go by the inventory too, so that the item cannot come
    /// back with its rows: under dual control, two must approve before it is enabled again.
    package func disable<Items: BankItems>(
        _ items: Items.Type, _ name: String, of bank: Identifier
    ) async throws -> Shown {
        try await removing(Items.inventoryKinds, name, of: bank) {
            try await set(Items.self, name, of: bank, to: .disabled)
        }
    }

    /// Takes objects away from a bank, also out of the inventory. That needs the vault; if it does not open, only the rows change.
    package func removing<Result>(
        _ kinds: [InventoryKind], _ name: String = "", of bank: Identifier, _ body: () async throws -> Result
    ) async throws -> Result {
        do {
            return try await changingInventory {
                var change = InventoryChange()
                for kind in kinds { change.remove(kind, name, of: bank) }
                return change
            } _: {
                try await body()
            }
        } catch let error as KeyVaultError {
            note(
                "warning: the vault does not open, so the inventory still has it: run the same command again when the vault works "
                    + "(\(error))")
            return try await body()
        }
    }

    /// Whether servers accept each active item, by name: it is in the inventory and, under dual control, two operators have approved it.
    ///
    /// - Returns: nil without dual control: then the vault need not be opened.
    package func approvals<Items: BankItems>(
        _ items: Items.Type, of bank: Identifier
    ) async throws -> [String: Bool]? {
        guard try await store.hasApprovals(), try await operators()?.isDual == true else { return nil }
        let active = try await withKeyring { try await Items.items(of: bank, in: store, $0) }
            .filter { $0.status == .active }
        let accepted = try await accepted(active.compactMap(\.object))
        return Dictionary(active.map { ($0.name, $0.object.map(accepted.contains) ?? false) }) { $0 && $1 }
    }

    fileprivate func items<Items: BankItems>(
        _ kind: Items.Type, _ name: String, of bank: Identifier
    ) async throws -> [BankItem] {
        try await withKeyring { try await Items.items(of: bank, in: store, $0) }.filter { $0.name == name }
    }

    fileprivate func set<Items: BankItems>(
        _ items: Items.Type, _ name: String, of bank: Identifier, to status: Activity
    ) async throws -> Shown {
        guard try await Items.set(name, of: bank, to: status, in: store) else { throw Items.missing(name, of: bank) }
        return Shown(
            text: "\(Items.noun) '\(name)' of bank '\(bank)' is \(status.rawValue)",
            json: ["bank": bank.text, Items.nameMember: name, "status": status.rawValue])
    }
}
