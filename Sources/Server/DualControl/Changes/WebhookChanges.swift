package import Administration
package import CardCompanion
package import CardCompanionModel
internal import CardCompanionStore

/// `webhook set`.
package struct SetWebhook: Change {
    package static let command = "webhook set"

    let bank: Identifier
    let url: String
    let isPrivate: Bool
    let acknowledges: Bool

    package init(bank: Identifier, url: String, isPrivate: Bool, acknowledges: Bool) {
        self.bank = bank
        self.url = url
        self.isPrivate = isPrivate
        self.acknowledges = acknowledges
    }

    package var bankId: Identifier? { bank }
    package var subject: String? { nil }

    private var webhook: WebhookRecord {
        WebhookRecord(bankId: bank, url: url, isPrivate: isPrivate, acknowledges: acknowledges, status: .active)
    }

    package func details(in installation: Installation) async throws -> [String] {
        [
            "events are sent to \(url)", "a private network is \(isPrivate ? "allowed" : "not allowed")",
            "a 2xx answer \(acknowledges ? "acknowledges" : "does not acknowledge") an event",
        ]
    }

    package func effect(at now: Timestamp) -> [String] { ["events to \(URLHost.of(url))"] }

    package func objects(in installation: Installation) async throws -> [InventoryObject] { [InventoryObject(webhook)] }

    package func requirePossible(in installation: Installation) async throws { _ = try await installation.bank(bank) }

    package func apply(in installation: Installation, isApproved: Bool) async throws -> Shown {
        _ = try await installation.bank(bank)
        try await installation.store.setWebhook(webhook, now: installation.clock.now())
        return Shown(text: "events of bank '\(bank)' are sent to \(url)", json: ["bank": bank.text, "url": url])
    }
}
