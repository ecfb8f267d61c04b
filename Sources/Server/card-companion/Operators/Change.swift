import CardCompanion
import CardCompanionModel
import CardCompanionServer
import Foundation

/// A change that can need two operators: one proposes it, and another one approves it. It is kept as JSON in between, so it has
/// no secrets, or sealed ones.
protocol Change: Codable, Sendable {
    /// The command that makes it: `certificate import`.
    static var command: String { get }
    /// Whether two operators are necessary even without dual control, as soon as there are operators.
    static var alwaysNeedsTwo: Bool { get }

    var bankId: Identifier? { get }
    /// What it is about: the name of a key or a certificate. Never a secret.
    var subject: String? { get }

    /// What changes, for the operator who approves it.
    func details(in installation: Installation) async throws -> [String]

    /// Whether dual control applies.
    func needsApproval(in installation: Installation) async throws -> Bool

    /// What servers accept after the change.
    func objects(in installation: Installation) async throws -> [ApprovedObject]

    /// What servers accepted before, and no longer do.
    func replacedObjects(in installation: Installation) async throws -> [ApprovedObject]

    /// The PKCS#11 module that the change loads, if that is not the one of the settings.
    var modulePath: String? { get }

    /// The operators who decide; nil if there are none.
    func operators(in installation: Installation) async throws -> OperatorRoster?

    /// Refuses a change that cannot be made, before anybody signs it.
    func requirePossible(in installation: Installation) async throws

    /// The operators after the change.
    func operators(after roster: OperatorRoster) throws -> OperatorRoster

    /// Makes the change.
    ///
    /// - Parameter isApproved: whether two operators have signed it.
    func apply(in installation: Installation, isApproved: Bool) async throws -> Shown
}

extension Change {
    static var alwaysNeedsTwo: Bool { false }
    var modulePath: String? { nil }

    func details(in installation: Installation) async throws -> [String] { [] }
    func needsApproval(in installation: Installation) async throws -> Bool { true }
    func objects(in installation: Installation) async throws -> [ApprovedObject] { [] }
    func replacedObjects(in installation: Installation) async throws -> [ApprovedObject] { [] }
    func operators(in installation: Installation) async throws -> OperatorRoster? { try await installation.operators() }
    func requirePossible(in installation: Installation) async throws {}
    func operators(after roster: OperatorRoster) throws -> OperatorRoster { roster }

    /// Makes the change, or proposes it if another operator must approve it, and says so.
    func run(_ options: some SettingOptions, _ operatorOptions: OperatorOptions, _ output: OutputOptions) async throws {
        let shown = try await Installation.run(options) { try await $0.make(self, signing: operatorOptions) }
        try shown.show(output)
    }
}

/// What a command shows at its end.
struct Shown: Sendable {
    let text: String
    let json: any Encodable & Sendable

    func show(_ output: OutputOptions) throws {
        try Terminal.show(text, json: json, asJSON: output.json)
    }
}

/// All changes that can be proposed.
enum Changes {
    static let all: [any Change.Type] = [
        AddBank.self, SetBank.self, RemoveBank.self, ImportCertificate.self, RemoveRevocationList.self,
        SetDefaultCertificate.self,
        EnableItem<Certificates>.Change.self,
        ImportHMACKey.self, ImportKeyBlock.self, ConfirmKey.self, EnableItem<BankKeys>.Change.self, AddIssuerKey.self,
        EnableItem<IssuerKeys>.Change.self, SetWebhook.self, AddDocumentClient.self,
        EnableItem<DocumentClients>.Change.self, TrustRoot.self, RemoveTrustList.self, RotateServerKeys.self,
        RetireServerKey.self,
        MakeRecoveryKey.self, RewrapDataKeys.self, RotateMasterKey.self, RecoverDataKeys.self, RotateDataKeys.self,
        RetireDataKey.self, SetDataKey.self, AddOperator.self, RemoveOperator.self, SetDualControl.self,
    ]

    static func type(of action: String) -> (any Change.Type)? { all.first { $0.command == action } }

    static func encode(_ change: some Change) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(change))
    }

    static func decode<C: Change>(_ type: C.Type, from bytes: [UInt8]) throws -> C {
        try JSONDecoder().decode(type, from: Data(bytes))
    }
}
