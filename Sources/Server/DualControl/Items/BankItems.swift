package import Administration
package import CardCompanion
package import CardCompanionModel
package import CardCompanionStore
package import KeyVault

/// A key, a certificate, an app or the webhook of a bank.
package struct BankItem: Sendable {
    package let name: String
    package let status: Activity
    /// As two operators approve it; nil if it does not open, so that no server can use it.
    package let object: ApprovedObject?
    /// Everything of that name that can have an approval.
    package let approvable: [ApprovedObject]

    /// - Parameter approvable: nil if that is the object only.
    package init(name: String, status: Activity, object: ApprovedObject?, approvable: [ApprovedObject]? = nil) {
        self.name = name
        self.status = status
        self.object = object
        self.approvable = approvable ?? object.map { [$0] } ?? []
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

    package func objects(in installation: Installation) async throws -> [ApprovedObject] {
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
    /// Disables an item. One operator can do it. It takes the approvals away: two must approve before the item is enabled again.
    package func disable<Items: BankItems>(
        _ items: Items.Type, _ name: String, of bank: Identifier
    ) async throws -> Shown {
        let shown = try await set(Items.self, name, of: bank, to: .disabled)
        await withdrawApproval(Items.self, name, of: bank)
        return shown
    }

    /// Whether two operators have approved each active item, by name. Servers ignore one that they have not. Nil without dual
    /// control.
    package func approvals<Items: BankItems>(
        _ items: Items.Type, of bank: Identifier
    ) async throws -> [String: Bool]? {
        guard try await store.hasApprovals(), try await operators()?.isDual == true else { return nil }
        let active = try await withKeyring { try await Items.items(of: bank, in: store, $0) }
            .filter { $0.status == .active }
        let approved = try await approved(active.compactMap(\.object))
        return Dictionary(active.map { ($0.name, $0.object.map(approved.contains) ?? false) }) { $0 && $1 }
    }

    /// Takes the approval of a disabled item away, if there are operators. An item can be disabled without the vault.
    private func withdrawApproval<Items: BankItems>(_ kind: Items.Type, _ name: String, of bank: Identifier) async {
        do {
            guard try await operators() != nil else { return }
            try await withdraw(try await items(Items.self, name, of: bank).flatMap(\.approvable))
        } catch {
            note("warning: the \(Items.noun) is disabled, but its approval could not be withdrawn: \(error)")
        }
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
