package import Administration
package import CardCompanion
package import CardCompanionModel

/// `inventory accept`.
package struct AcceptInventory: Change {
    package static let command = "inventory accept"
    package static let writesInventory = true

    /// Versions as `NUMBER:HASH`.
    let lost: String
    let found: String
    let reason: String

    package init(lost: Mark, found: Mark, reason: String) {
        self.lost = lost.text
        self.found = found.text
        self.reason = reason
    }

    package var bankId: Identifier? { nil }
    package var subject: String? { reason }

    /// The one that is right cannot be read before it is accepted.
    package func inventory(in installation: Installation) async throws -> Inventory? { nil }

    package func effect(at now: Timestamp) -> [String] { ["version \(lost) -> \(found)"] }

    package func details(in installation: Installation) async throws -> [String] {
        let parts = try await installation.withDataKeys { try await $0.inventory.found(versions().found) }
        return [
            "servers go on with version \(found) of the inventory instead of \(lost)",
            "what commands have changed between the two no longer counts, and what they have taken away counts again",
            "reason: \(ClientText.printable(reason))",
        ] + parts.flatMap(Self.lines)
    }

    /// What counts afterwards. Somebody can have made what was found.
    private static func lines(_ part: Inventory) -> [String] {
        let owner = part.scope.map { "bank '\($0)'" } ?? "the installation"
        return ["\(owner), version \(part.version):"]
            + part.entries.filter { $0.key.kind != .bank }.sorted { $0.key < $1.key }.map { name, entry in
                "  \(name.kind.noun) \(name.name.isEmpty ? "" : "'\(name.name)' ")\(entry.value)"
            }
    }

    package func requirePossible(in installation: Installation) async throws {
        let (lost, found) = try versions()
        try await installation.withDataKeys { try await $0.inventory.requireLost(lost, found) }
    }

    package func apply(in installation: Installation, isApproved: Bool) async throws -> Shown {
        let (lost, found) = try versions()
        let version = try await installation.withDataKeys { dataKeys in
            let keyring = try await dataKeys.openedWithoutInventory()
            return try await dataKeys.inventory.accept(found, insteadOf: lost, with: keyring)
        }
        return Shown(
            text: "servers go on with version \(found.text); it is now version \(version.text)",
            json: ["lost": lost.text, "found": found.text, "version": version.text])
    }

    private func versions() throws -> (lost: Mark, found: Mark) {
        guard let lost = Mark(lost), let found = Mark(found) else {
            throw CommandError.refused("the proposal is damaged: run the command again")
        }
        return (lost, found)
    }
}
