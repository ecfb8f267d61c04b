package import CardCompanionModel

/// What a change puts into the inventory and takes out of it.
package struct InventoryChange: Sendable {
    private enum Step: Sendable {
        case set(Inventory.Name, Inventory.Entry)
        /// As `set`, but an entry with the same value keeps its approval.
        case keep(Inventory.Name, Inventory.Entry)
        case remove(Inventory.Name)
        case removeAll(InventoryKind, except: Inventory.Name?)
    }

    /// By scope; nil: the installation.
    private var steps: [Identifier?: [Step]] = [:]
    /// The approval that takes the place of all others, and the values of the objects that it covers.
    private var newApproval: (id: String, values: Set<String>)?

    package init() {}

    var isEmpty: Bool { steps.isEmpty && newApproval == nil }
    /// The banks that change, if not all do.
    var banks: [Identifier] { steps.keys.compactMap(\.self) }
    var changesAllBanks: Bool { newApproval != nil }

    private mutating func add(_ step: Step, of scope: Identifier?) {
        steps[scope, default: []].append(step)
    }

    package mutating func set(_ kind: InventoryKind, _ name: String = "", of scope: Identifier?, to value: String) {
        add(.set(Inventory.Name(kind, name), Inventory.Entry(value)), of: scope)
    }

    package mutating func remove(_ kind: InventoryKind, _ name: String = "", of scope: Identifier?) {
        add(.remove(Inventory.Name(kind, name)), of: scope)
    }

    package mutating func removeAll(_ kind: InventoryKind, of scope: Identifier?) {
        add(.removeAll(kind, except: nil), of: scope)
    }

    /// Puts an object in, in the place of the one of that name.
    ///
    /// - Parameter approvalId: the approval of two operators that covers it; nil if there is none.
    package mutating func add(_ object: InventoryObject, approvalId: String? = nil) {
        let entry = Inventory.Entry(object.value, approvalId: approvalId)
        add(.set(object.inventoryName, entry), of: object.bankId)
        guard object.inventoryName.kind == .settings, approvalId != nil else { return }
        add(.set(Inventory.Name(.approvedSettings), entry), of: object.bankId)
    }

    /// Puts an object in, in the place of all others of its kind. If it is there already, it keeps its approval.
    package mutating func addOnly(_ object: InventoryObject) {
        add(.removeAll(object.inventoryName.kind, except: object.inventoryName), of: object.bankId)
        add(.keep(object.inventoryName, Inventory.Entry(object.value)), of: object.bankId)
    }

    /// Takes a bank out, with everything that it has.
    package mutating func removeBank(_ id: Identifier) {
        remove(.bank, id.text, of: nil)
    }

    /// Notes that a proposed change was made or rejected.
    package mutating func close(proposal id: String, expiringAt time: Timestamp) {
        set(.closedProposal, id, of: nil, to: "\(time.seconds)")
    }

    /// Puts an approval in the place of all others: what it does not cover has none afterwards.
    package mutating func approveOnly(_ objects: [InventoryObject], approvalId: String) {
        newApproval = (approvalId, Set(objects.map(\.value)))
    }

    /// Puts back what two versions of a part differ in.
    ///
    /// - Parameter before: nil if there was none.
    mutating func restore(from after: Inventory, to before: Inventory?) {
        for name in Set(after.entries.keys).union(before?.entries.keys ?? [:].keys) {
            // A bank's mark follows from its part, unless the bank was taken out.
            guard after.entries[name] != before?.entries[name], name.kind != .bank || after.entries[name] == nil else {
                continue
            }
            add(before?.entries[name].map { .set(name, $0) } ?? .remove(name), of: after.scope)
        }
    }

    /// The entries of a scope after the change.
    func applied(
        to present: [Inventory.Name: Inventory.Entry], of scope: Identifier?
    ) -> [Inventory.Name: Inventory.Entry] {
        var result = present
        for step in steps[scope] ?? [] {
            switch step {
            case .set(let name, let entry): result[name] = entry
            case .keep(let name, let entry): if result[name]?.value != entry.value { result[name] = entry }
            case .remove(let name): result[name] = nil
            case .removeAll(let kind, let other): result = result.filter { $0.key.kind != kind || $0.key == other }
            }
        }
        if let newApproval { result.approve(only: newApproval.values, newApproval.id) }
        return result
    }
}

extension [Inventory.Name: Inventory.Entry] {
    fileprivate mutating func approve(only values: Set<String>, _ approvalId: String) {
        for (name, entry) in self where name.kind.canBeApproved {
            self[name] = Inventory.Entry(entry.value, approvalId: values.contains(entry.value) ? approvalId : nil)
        }
        if let settings = self[Inventory.Name(.settings)], settings.approvalId != nil {
            self[Inventory.Name(.approvedSettings)] = settings
        }
    }
}

extension InventoryKind {
    /// Whether two operators approve such objects.
    package var canBeApproved: Bool {
        switch self {
        case .settings, .approvedSettings, .hmacKey, .key, .certificate, .issuerKey, .webhook, .documentClient,
            .trustRoot:
            true
        case .revocationList, .trustList, .trustRevocationList, .bank, .dataKey, .serverKey, .recoveryKey,
            .masterKey, .closedProposal, .lostVersion, .proposalsFrom:
            false
        }
    }
}
