package import Administration
package import CardCompanion
package import CardCompanionModel
internal import Foundation

/// A change that can need two operators: one proposes it, and another one approves it. It is kept as JSON in between, so it has
/// no secrets, or sealed ones.
package protocol Change: Codable, Sendable {
    /// The command that makes it: `certificate import`.
    static var command: String { get }
    /// Whether it changes keys of the installation, and writes them into the inventory itself.
    static var writesInventory: Bool { get }
    /// Whether it is made even if the vault does not open, so that the inventory still has what was there before. Servers then ignore
    /// what the change is about.
    var isEmergency: Bool { get }
    /// Whether two operators are necessary even without dual control, as soon as there are operators.
    static var alwaysNeedsTwo: Bool { get }

    var bankId: Identifier? { get }
    /// What it is about: the name of a key or a certificate. Never a secret, and never a cardholder.
    var subject: String? { get }
    /// The cardholder that it is about.
    var cardholder: Identifier? { get }

    /// What changes, for the operators who sign it: compared with what operators have approved, not with what the database has.
    func details(in installation: Installation) async throws -> [String]

    /// What changes, before and after, for the audit trail: `retryLimit 3 -> 4`, a key's fingerprint. Never a secret.
    func effect(at now: Timestamp) -> [String]

    /// Whether dual control applies.
    func needsApproval(in installation: Installation) async throws -> Bool

    /// What servers accept after the change.
    func objects(in installation: Installation) async throws -> [InventoryObject]

    /// What the change puts into the inventory, and takes out of it. A change that makes keys of the installation writes them itself.
    ///
    /// - Parameter approvalId: the approval that two operators have signed; nil if there is none.
    func inventoryChange(in installation: Installation, approvalId: String?) async throws -> InventoryChange

    /// The inventory before the change; nil if there is none, or if it cannot be read before the change.
    func inventory(in installation: Installation) async throws -> Inventory?

    /// The PKCS#11 module that the change loads, if that is not the one of the settings.
    var modulePath: String? { get }

    /// The operators who decide; nil if there are none.
    func operators(in installation: Installation) async throws -> OperatorRoster?

    /// Refuses a change that cannot be made. It is asked before anybody signs, and again before the change is made.
    func requirePossible(in installation: Installation) async throws

    /// The operators after the change.
    func operators(after roster: OperatorRoster) throws -> OperatorRoster

    /// Makes the change.
    ///
    /// - Parameter isApproved: whether two operators have signed it.
    func apply(in installation: Installation, isApproved: Bool) async throws -> Shown
}

extension Change {
    package static var writesInventory: Bool { false }
    package static var alwaysNeedsTwo: Bool { false }
    package var isEmergency: Bool { false }
    package var modulePath: String? { nil }
    package var cardholder: Identifier? { nil }

    package func details(in installation: Installation) async throws -> [String] { [] }
    package func effect(at now: Timestamp) -> [String] { [] }
    package func needsApproval(in installation: Installation) async throws -> Bool { true }
    package func objects(in installation: Installation) async throws -> [InventoryObject] { [] }
    package func inventoryChange(
        in installation: Installation, approvalId: String?
    ) async throws -> InventoryChange {
        var change = InventoryChange()
        for object in try await objects(in: installation) { change.add(object, approvalId: approvalId) }
        return change
    }
    package func inventory(in installation: Installation) async throws -> Inventory? {
        try await installation.inventory()
    }
    package func operators(in installation: Installation) async throws -> OperatorRoster? {
        try await installation.operators()
    }
    package func requirePossible(in installation: Installation) async throws {}
    package func operators(after roster: OperatorRoster) throws -> OperatorRoster { roster }
}

/// All changes that can be proposed.
package enum Changes {
    package static let all: [any Change.Type] = [
        AddBank.self, SetBank.self, RemoveBank.self, ImportCertificate.self, RemoveRevocationList.self,
        SetDefaultCertificate.self,
        Enable<Certificates>.self,
        ImportHMACKey.self, ImportKeyBlock.self, ConfirmKey.self, Enable<BankKeys>.self, AddIssuerKey.self,
        Enable<IssuerKeys>.self, SetWebhook.self, AddDocumentClient.self,
        Enable<DocumentClients>.self, TrustRoot.self, RemoveTrustList.self, RotateServerKeys.self,
        RetireServerKey.self,
        MakeRecoveryKey.self, RewrapDataKeys.self, RotateMasterKey.self, RecoverDataKeys.self, RotateDataKeys.self,
        RetireDataKey.self, SetDataKey.self, ReleasePAN.self, AddOperator.self, RemoveOperator.self,
        SetDualControl.self,
        AcceptInventory.self,
    ]

    package static func type(of action: String) -> (any Change.Type)? { all.first { $0.command == action } }

    package static func encode(_ change: some Change) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(change))
    }

    package static func decode<C: Change>(_ type: C.Type, from bytes: [UInt8]) throws -> C {
        try JSONDecoder().decode(type, from: Data(bytes))
    }
}
