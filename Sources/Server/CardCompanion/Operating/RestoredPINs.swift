package import CardCompanionModel
package import CardCompanionStore
internal import Cryptography
package import KeyVault

/// Finds the cardholders whose PINs were delivered after a backup, according to an export of the audit trail.
package struct RestoredPINs: Sendable {
    /// How many rows are read or erased at once.
    private static let batchCount = 1_000

    /// Pseudonyms of cardholders who have confirmed a delivery, in hex, by bank.
    private let confirmed: [String: Set<String>]?

    /// - Parameter confirmed: nil without an export: then every PIN of a bank that erases delivered PINs may have been
    ///   delivered.
    package init(confirmed: [String: Set<String>]?) {
        self.confirmed = confirmed
    }

    /// Erases the PINs that were, or may have been, delivered.
    ///
    /// - Returns: how many were erased.
    package func erase(in store: Store, keyring: Keyring, now: Timestamp) async throws -> Int {
        var count = 0
        for bank in try await store.banks() where bank.settings.retention == .erase {
            if let confirmed {
                let pseudonyms = confirmed[bank.id.text] ?? []
                if !pseudonyms.isEmpty { count += try await erase(pseudonyms, of: bank.id, store, keyring, now) }
            } else {
                count += try await eraseAll(of: bank.id, store, now)
            }
        }
        return count
    }

    private func eraseAll(of bankId: Identifier, _ store: Store, _ now: Timestamp) async throws -> Int {
        var total = 0
        while true {
            let count = try await store.eraseRestoredPINs(
                bankId: bankId, uniqueIds: nil, limit: Self.batchCount, now: now)
            total += count
            guard count == Self.batchCount else { return total }
        }
    }

    /// The audit trail has pseudonyms, so each cardholder's is computed and looked for.
    private func erase(
        _ pseudonyms: Set<String>, of bankId: Identifier, _ store: Store, _ keyring: Keyring, _ now: Timestamp
    ) async throws -> Int {
        var (total, after) = (0, String?.none)
        while true {
            let page = try await store.cardholders(bankId: bankId, after: after, limit: Self.batchCount)
            guard let last = page.last else { return total }
            after = last.uniqueId.text
            let found = try page.filter { holder in
                try holder.hasPIN
                    && keyring.pseudonyms(bankId: bankId, uniqueId: holder.uniqueId).contains {
                        pseudonyms.contains(Hex.encode($0))
                    }
            }
            guard !found.isEmpty else { continue }
            total += try await store.eraseRestoredPINs(
                bankId: bankId, uniqueIds: found.map(\.uniqueId.text), limit: Self.batchCount, now: now)
        }
    }
}
