internal import CardCompanionModel
package import CardCompanionStore
internal import KeyBlocks
package import KeyVault
package import Logging
internal import ServiceLifecycle

/// Seals the values in the database with the newest data key, after a rotation. Servers share the columns, and continue where
/// another server stopped.
package struct Resealing: Service, CustomStringConvertible {
    package let description = "re-sealing"

    /// It starts this long after a key's activation: by then no server seals with the old key.
    static let waitSeconds = Int64(2 * KeyRefresh.intervalSeconds)
    /// How many rows are read and written at once, and the pause after that, for the sake of requests.
    static let rowsPerBatch = 500
    static let pause = Duration.milliseconds(50)
    /// How long a server has a column for itself after each batch.
    static let leaseSeconds: Int64 = 60
    /// How often a batch is repeated because requests have its rows locked.
    static let attempts = 20

    private let store: Store
    private let keyring: Keyring
    private let clock: WallClock
    private let intervalSeconds: Int
    private let logger: Logger

    /// - Parameter intervalSeconds: the pause after a round.
    package init(store: Store, keyring: Keyring, clock: WallClock, intervalSeconds: Int, logger: Logger) {
        self.store = store
        self.keyring = keyring
        self.clock = clock
        self.intervalSeconds = intervalSeconds
        self.logger = logger
    }

    package func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                do {
                    if keyring.isOpen {
                        try await resealAll()
                        try await renewKeyIdentities()
                    }
                } catch {
                    logger.warning("Re-sealing failed; it will be tried again", metadata: ["error": "\(error)"])
                }
                try? await Task.sleep(for: .seconds(intervalSeconds))
            }
        }
    }

    private func resealAll() async throws {
        let keys = try await store.dataKeys()
        for purpose in DataKeyPurpose.sealing {
            guard let key = keys.active(purpose, clock.now()), key.replaces != nil,
                try key.id == keyring.activeKeyId(purpose.ofKeyring),
                clock.now() >= key.activeFrom.advanced(bySeconds: Self.waitSeconds)
            else { continue }
            for column in KeyedColumn.all(of: purpose) where !Task.isCancelled {
                let until = clock.now().advanced(bySeconds: Self.leaseSeconds)
                let after = try await store.leaseResealing(of: column, to: key.id, until: until, now: clock.now())
                if let after { try await reseal(column, to: key.id, after: after) }
            }
        }
    }

    /// The MACs of banks' keys are the only ones that can be made again.
    private func renewKeyIdentities() async throws {
        let id = try keyring.activeKeyId(.digests)
        for key in try await store.keys(withMACNotUnder: id, limit: Self.rowsPerBatch) {
            let place: SealedPlace =
                key.algorithm == .hmac
                ? .hmacKey(bankId: key.bankId, label: key.label) : .bankKey(bankId: key.bankId, label: key.label)
            let secret = try keyring.open(key.sealedKey, in: place)
            let identity = KeyIdentity.identity(of: secret, KeyAlgorithm(key.algorithm))
            try await store.replaceKeyMAC(key.mac, by: try keyring.authenticationCode(for: identity, in: .keyIdentity))
        }
    }

    private func reseal(_ column: KeyedColumn, to dataKeyId: Int32, after start: KeyedRow) async throws {
        var walk = Walk(column: column, dataKeyId: dataKeyId, after: start)
        while !walk.isFinished, !Task.isCancelled {
            guard let last = try await resealBatch(column, to: dataKeyId, after: walk.after) else { break }
            guard try await record(&walk, upTo: last) else { return }
            try? await Task.sleep(for: Self.pause)
        }
        if walk.isFinished {
            logger.notice(
                "Values are sealed with the new data key",
                metadata: ["column": "\(column.rawValue)", "data_key": "\(dataKeyId)"])
        } else {
            try await release(walk)
        }
    }

    /// Seals the next rows.
    ///
    /// - Returns: the last of them, which is `after` if there are no more; nil if some stay locked.
    private func resealBatch(
        _ column: KeyedColumn, to dataKeyId: Int32, after: KeyedRow
    ) async throws -> KeyedRow? {
        for _ in 0..<Self.attempts {
            let rows = try await store.values(of: column, notUnder: dataKeyId, after: after, limit: Self.rowsPerBatch)
            let resealed = rows.compactMap { row, value in value.flatMap { sealedAnew($0, column, row) } }
            guard !resealed.isEmpty else { return rows.last?.row ?? after }
            if column.isOfCardholders {
                try await store.replaceInCardholders(resealed, in: column, now: clock.now())
            } else {
                try await store.replace(resealed, in: column)
            }
        }
        return nil
    }

    /// Nil if it does not open. Then it stays as it is, and its key cannot be retired.
    private func sealedAnew(_ value: [UInt8], _ column: KeyedColumn, _ row: KeyedRow) -> ResealedValue? {
        guard let place = SealedPlace(column, row) else { return nil }
        do {
            return try keyring.sealedAnew(value, in: place).map { ResealedValue(row: row, old: value, new: $0) }
        } catch {
            logger.error(
                "A sealed value does not open",
                metadata: [
                    "column": "\(column.rawValue)", "bank_id": "\(ClientText.quoted(row.bankId))",
                    "row": "\(ClientText.quoted(row.rowId))", "error": "\(error)",
                ])
            return nil
        }
    }

    /// - Returns: false if the walk was restarted or another server took it over. Then this server stops.
    private func record(_ walk: inout Walk, upTo last: KeyedRow) async throws -> Bool {
        let start = walk.after
        walk.isFinished = last == start
        walk.after = last
        let leaseSeconds = walk.isFinished ? 0 : Self.leaseSeconds
        return try await store.saveResealing(
            walk.record, from: start, leasedUntil: clock.now().advanced(bySeconds: leaseSeconds))
    }

    /// Ends the lease, so that the next server can go on at once.
    private func release(_ walk: Walk) async throws {
        _ = try await store.saveResealing(walk.record, from: walk.after, leasedUntil: clock.now())
    }

    /// How far a server has come in a column.
    private struct Walk {
        let column: KeyedColumn
        let dataKeyId: Int32
        var after: KeyedRow
        var isFinished = false

        var record: ResealingRecord {
            ResealingRecord(column: column, dataKeyId: dataKeyId, after: after, isFinished: isFinished)
        }
    }
}
