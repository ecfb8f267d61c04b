package import Administration
package import CardCompanion
package import CardCompanionModel
internal import CardCompanionStore

/// `certificate remove-crl`.
package struct RemoveRevocationList: Change {
    package static let command = "certificate remove-crl"

    let bank: Identifier
    let issuer: String

    package init(bank: Identifier, issuer: String) {
        self.bank = bank
        self.issuer = issuer
    }

    package var bankId: Identifier? { bank }
    package var subject: String? { issuer }

    package func details(in installation: Installation) async throws -> [String] {
        ["certificates of \(issuer) are no longer checked with a CRL"]
    }

    package func inventoryChange(
        in installation: Installation, approvalId: String?
    ) async throws -> InventoryChange {
        var change = InventoryChange()
        change.remove(.revocationList, issuer, of: bank)
        return change
    }

    package func requirePossible(in installation: Installation) async throws {
        _ = try await installation.bank(bank)
        guard try await installation.store.revocationLists(bankId: bank).contains(where: { $0.issuer == issuer }) else {
            throw missing
        }
    }

    private var missing: CommandError {
        .notFound("bank '\(bank)' has no CRL of '\(issuer)': see 'card-companion certificate list-crls --bank \(bank)'")
    }

    package func apply(in installation: Installation, isApproved: Bool) async throws -> Shown {
        guard try await installation.store.removeRevocationList(bankId: bank, issuer: issuer) else { throw missing }
        return Shown(
            text: "bank '\(bank)' no longer has a CRL of \(issuer)",
            json: ["bank": bank.text, "issuer": issuer])
    }
}
