package import Administration
package import CardCompanion
package import CardCompanionModel
internal import CardCompanionStore

/// `document-client add`.
package struct AddDocumentClient: Change {
    package static let command = "document-client add"

    let bank: Identifier
    let clientId: String
    let isUnbound: Bool
    let resultURL: String?
    let isPrivate: Bool

    package init(bank: Identifier, clientId: String, isUnbound: Bool, resultURL: String?, isPrivate: Bool) {
        self.bank = bank
        self.clientId = clientId
        self.isUnbound = isUnbound
        self.resultURL = resultURL
        self.isPrivate = isPrivate
    }

    package var bankId: Identifier? { bank }
    package var subject: String? { clientId }

    private func record(_ now: Timestamp) -> DocumentClientRecord {
        DocumentClientRecord(
            clientId: clientId, bankId: bank, isUnbound: isUnbound, resultURL: resultURL, resultIsPrivate: isPrivate,
            status: .active, createdAt: now)
    }

    package func details(in installation: Installation) async throws -> [String] {
        [
            "client '\(clientId)'",
            resultURL.map { "results, which are personal data, are posted to \($0)" } ?? "results are not posted",
            "a private network is \(isPrivate ? "allowed" : "not allowed")",
            isUnbound ? "it verifies documents without a check" : "each session needs a check from the bank",
        ]
    }

    package func effect(at now: Timestamp) -> [String] {
        [isUnbound ? "unbound" : "with checks", resultURL.map { "results to \(URLHost.of($0))" } ?? "results nowhere"]
    }

    package func objects(in installation: Installation) async throws -> [InventoryObject] {
        [InventoryObject(record(installation.clock.now()))]
    }

    package func requirePossible(in installation: Installation) async throws {
        _ = try await installation.bank(bank)
        guard try await installation.store.currentDocumentClient(id: clientId) == nil else { throw isThere }
    }

    private var isThere: CommandError { .refused("there is already a document client '\(clientId)'") }

    package func apply(in installation: Installation, isApproved: Bool) async throws -> Shown {
        _ = try await installation.bank(bank)
        guard try await installation.store.insertDocumentClient(record(installation.clock.now())) else { throw isThere }
        return Shown(
            text: "added document client '\(clientId)' of bank '\(bank)'",
            json: ["bank": bank.text, "clientId": clientId])
    }
}
