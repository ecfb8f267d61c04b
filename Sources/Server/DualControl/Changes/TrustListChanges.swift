package import Administration
package import CardCompanion
package import CardCompanionModel
internal import CardCompanionStore
internal import Cryptography

/// `csca remove`.
package struct RemoveTrustList: Change {
    package static let command = "csca remove"

    let bank: Identifier?

    package init(bank: Identifier?) {
        self.bank = bank
    }

    package var bankId: Identifier? { bank }
    package var subject: String? { nil }

    package func details(in installation: Installation) async throws -> [String] {
        [
            bank.map { "bank '\($0)' trusts the list of all banks, and no longer its own" }
                ?? "banks without a list of their own trust no state"
        ]
    }

    package func inventoryChange(
        in installation: Installation, approvalId: String?
    ) async throws -> InventoryChange {
        var change = InventoryChange()
        for kind in [InventoryKind.trustRoot, .trustList, .trustRevocationList] { change.removeAll(kind, of: bank) }
        return change
    }

    package func requirePossible(in installation: Installation) async throws {
        _ = try await installation.trustList(scope: bank)
    }

    package func apply(in installation: Installation, isApproved: Bool) async throws -> Shown {
        _ = try await installation.trustList(scope: bank)
        _ = try await installation.store.removeTrustList(scope: bank)
        return Shown(
            text: "removed the trust list \(bank.map { "of bank '\($0)'" } ?? "of all banks")",
            json: ["bank": bank?.text])
    }
}

/// The root of trust lists, for `csca import` under dual control.
package struct TrustRoot: Change {
    package static let command = "csca import"

    let bank: Identifier?
    /// DER.
    let root: [UInt8]

    package init(bank: Identifier?, root: [UInt8]) {
        self.bank = bank
        self.root = root
    }

    package var bankId: Identifier? { bank }
    package var subject: String? { "SHA-256 \(Hex.encode(SHA256.hash(root)))" }

    private var object: InventoryObject { InventoryObject(trustRoot: root, scope: bank) }

    package func details(in installation: Installation) async throws -> [String] {
        [
            "\(bank.map { "bank '\($0)'" } ?? "each bank") trusts the authorities of lists under this root",
            "root with SHA-256 \(Hex.encode(SHA256.hash(root)))",
        ]
    }

    package func requirePossible(in installation: Installation) async throws {
        if let bank { _ = try await installation.bank(bank) }
    }

    package func objects(in installation: Installation) async throws -> [InventoryObject] { [object] }

    /// Whether a list under this root can be imported.
    package func isTrusted(in installation: Installation) async throws -> Bool {
        guard try await installation.operators()?.isDual == true else { return true }
        return try await !installation.accepted([object]).isEmpty
    }

    package func apply(in installation: Installation, isApproved: Bool) async throws -> Shown {
        Shown(
            text:
                "the root is approved: run the same 'card-companion csca import' again; one operator is enough for that",
            json: ["root": Hex.encode(SHA256.hash(root))])
    }
}

extension Installation {
    /// The trust list of a scope.
    ///
    /// - Throws: ``CommandError`` if there is none.
    package func trustList(scope: Identifier?) async throws -> TrustListRecord {
        guard let list = try await store.trustList(scope: scope) else {
            throw CommandError.notFound(
                scope.map { "bank '\($0)' has no trust list of its own: see 'card-companion csca list'" }
                    ?? "there is no trust list of all banks: see 'card-companion csca import --help'")
        }
        return list
    }

    /// Imports a list under a root that is trusted.
    package func importTrustList(_ found: TrustListImport, scope: Identifier?) async throws -> Shown {
        let root = "SHA-256 \(Hex.encode(found.rootFingerprint))"
        try await AdminAction(command: TrustRoot.command, bankId: scope, subject: "root \(root)").recorded(in: logger) {
            let record = try await withKeyring { try found.record(scope: scope, keyring: $0, now: clock.now()) }
            try await changingInventory {
                var change = InventoryChange()
                change.addOnly(InventoryObject(trustRoot: record.root, scope: scope))
                change.add(InventoryObject(record))
                return change
            } _: {
                guard try await store.putTrustList(record) else {
                    let present = try await trustList(scope: scope)
                    throw CommandError.refused(
                        "the list was signed at \(found.signedAt.text): it is older than the present one, signed at \(present.signedAt.text)"
                    )
                }
            }
        }
        let unusable = found.unusableCount == 0 ? "" : ", \(found.unusableCount) more cannot be used"
        return Shown(
            text: """
                imported the trust list signed at \(found.signedAt.text) for \(scope.map { "bank '\($0)'" } ?? "all banks"): \
                \(found.authorityCount) authorities\(unusable), under the root with \(root)
                """,
            json: [
                "bank": scope?.text, "signedAt": found.signedAt.text, "authorities": "\(found.authorityCount)",
                "unusable": "\(found.unusableCount)", "root": Hex.encode(found.rootFingerprint),
            ])
    }
}
