package import CardCompanionModel
package import CardCompanionStore
internal import Cryptography
package import EMRTD
package import KeyVault
internal import SecureMemory
internal import Synchronization

/// The states' authorities that sign documents, as each bank trusts them. Lists are kept in memory, and read again after a
/// change.
package final class TrustedAuthorities: Sendable {
    /// How many lists are kept: the list for all banks, and banks' own. When there are more, all are dropped.
    static let capacity = 16

    private let store: Store
    private let keyring: Keyring
    private let countedObjects: CountedObjects
    /// By revision. A damaged list stays damaged: it is not read again for each session.
    private let kept = Mutex<[String: Result<Kept, DamagedTrustList>]>([:])
    private let loads = OneAtATime()

    private struct Kept: Sendable {
        let scope: Identifier?
        let anchors: TrustAnchors
        /// The root, the list and its CRLs. The authorities are trusted only while all of them count.
        let objects: [InventoryObject]
    }

    package init(store: Store, keyring: Keyring, countedObjects: CountedObjects) {
        self.store = store
        self.keyring = keyring
        self.countedObjects = countedObjects
    }

    /// What a bank trusts. Nothing, if there is no list.
    ///
    /// - Parameter revision: the present one; nil if there is no list.
    /// - Throws: ``DamagedTrustList``, `StoreError`, `KeyVaultError`.
    package func anchors(of bankId: Identifier, revision: String?) async throws -> TrustAnchors {
        guard let revision else { return TrustAnchors([]) }
        let list = try await list(of: bankId, revision)
        guard let list, try await counts(list, for: bankId) else { return TrustAnchors([]) }
        return list.anchors
    }

    /// Whether the inventory has the list with all its CRLs, and no other ones.
    private func counts(_ list: Kept, for bankId: Identifier) async throws -> Bool {
        // A bank's own list that somebody has removed must not give way to the list of all banks.
        if list.scope == nil, try await countedObjects.count(.trustList, of: bankId) > 0 { return false }
        let counted = try await countedObjects.counted(list.objects)
        let listCount = try await countedObjects.count(.trustRevocationList, of: list.scope)
        return counted.count == list.objects.count
            && listCount == list.objects.count - Self.objectsWithoutRevocationLists
    }

    /// The root and the list.
    private static let objectsWithoutRevocationLists = 2

    private func list(of bankId: Identifier, _ revision: String) async throws -> Kept? {
        if let known = kept.withLock({ $0[revision] }) { return try known.get() }
        // Reading a list keeps a processor busy for a while. If many sessions find a new list, only one of them reads it.
        return try await loads.run {
            if let known = kept.withLock({ $0[revision] }) { return try known.get() }
            guard let loaded = try await load(bankId) else { return nil }
            kept.withLock { kept in
                if kept.count >= Self.capacity { kept.removeAll() }
                kept[revision] = loaded
            }
            return try loaded.get()
        }
    }

    private func load(_ bankId: Identifier) async throws -> Result<Kept, DamagedTrustList>? {
        guard let record = try await store.trustList(of: bankId) else { return nil }
        let sealed = try? keyring.open(record.sealedDigest, in: .trustList(record.scope))
        guard keyring.isOpen else { throw KeyVaultError.vaultClosed }
        guard let sealed, ConstantTime.areEqual(sealed, Self.digest(list: record.list, root: record.root)) else {
            return .failure(DamagedTrustList(scope: record.scope))
        }
        let revocationLists = try await store.trustRevocationLists(scope: record.scope)
        let lists = try revocationLists.map { try CertificateRevocationList(Octets(copying: $0.list)) }
        return .success(
            Kept(
                scope: record.scope,
                anchors: TrustAnchors(try Self.certificates(of: record), revocationLists: lists),
                objects: [InventoryObject(trustRoot: record.root, scope: record.scope), InventoryObject(record)]
                    + revocationLists.map { InventoryObject($0) }))
    }

    /// SHA-256 of a list and its root.
    static func digest(list: [UInt8], root: [UInt8]) -> [UInt8] {
        SHA256.hash(SHA256.hash(list) + SHA256.hash(root))
    }

    static func certificates(of record: TrustListRecord) throws -> [SigningCertificate] {
        try MasterList(Octets(copying: record.list))
            .verify(root: SigningCertificate(Octets(copying: record.root))).certificates
    }
}

/// The list in the database is not the one that was imported.
package struct DamagedTrustList: Error, CustomStringConvertible {
    let scope: Identifier?

    package var description: String {
        let owner = scope.map { "of bank '\($0)'" } ?? "of all banks"
        return
            "the trust list \(owner) is not the one that was imported: import it again with 'card-companion csca import'"
    }
}

/// Lets one task work, and the others wait.
private actor OneAtATime {
    private var isBusy = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    nonisolated func run<Result: Sendable>(_ work: @Sendable () async throws -> Result) async throws -> Result {
        await begin()
        do {
            let result = try await work()
            await end()
            return result
        } catch {
            await end()
            throw error
        }
    }

    private func begin() async {
        guard isBusy else {
            isBusy = true
            return
        }
        await withCheckedContinuation { waiting.append($0) }
    }

    private func end() {
        // The next task gets the place.
        guard let next = waiting.popLast() else {
            isBusy = false
            return
        }
        next.resume()
    }
}
