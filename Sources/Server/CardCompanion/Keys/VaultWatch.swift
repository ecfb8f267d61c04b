internal import CardCompanionModel
internal import Cryptography
package import KeyVault
package import Logging
internal import SecureMemory
internal import ServiceLifecycle
internal import Synchronization

/// Opens the vault, and proves every ten seconds that its master key still works. If it has not worked for too long, the
/// server loses its keys until the vault is back.
package final class VaultWatch: Service, CustomStringConvertible {
    /// How often the vault is proved, or opened again.
    package static let intervalSeconds = 10

    private static let probeByteCount = 16
    private static let serverIdByteCount = 16

    package let description = "vault watch"

    private let dataKeys: DataKeys
    private let keyring: Keyring
    private let serverKeys: ServerKeys
    private let banks: BankDirectory
    private let countedObjects: CountedObjects
    private let trail: SealMemory
    private let warnsOfRisk: Bool
    private let logger: Logger
    private let serverName: String
    private let serverId = Hex.encode(SecureRandom.bytes(count: serverIdByteCount))
    private let current: Mutex<Current>
    private let metrics = VaultMetrics()
    private let clock: WallClock
    /// Only one task at a time opens, proves or rereads the vault.
    private let turn = AsyncLock()

    private struct Current {
        var state: VaultState
        var masterKey: (any MasterKey)?
        /// Whether requests are served. It is set after all keys are there, and cleared before they are taken away.
        var isReady = false
        var hasBeenReady = false
        var reason = "the vault is not open yet"
        /// The version of the inventory that the banks in memory were loaded with.
        var inventoryVersion: Int64?
    }

    /// - Parameters:
    ///   - grace: how long the server serves without the vault.
    ///   - serverName: host and process id.
    ///   - warnsOfRisk: whether it warns at the start if everything depends on one master key.
    package init(
        dataKeys: DataKeys, keyring: Keyring, serverKeys: ServerKeys, banks: BankDirectory,
        countedObjects: CountedObjects, trail: SealMemory, clock: WallClock, grace: Duration, serverName: String,
        warnsOfRisk: Bool, logger: Logger
    ) {
        self.clock = clock
        self.dataKeys = dataKeys
        self.keyring = keyring
        self.serverKeys = serverKeys
        self.banks = banks
        self.countedObjects = countedObjects
        self.trail = trail
        self.serverName = serverName
        self.warnsOfRisk = warnsOfRisk
        self.logger = logger
        current = Mutex(Current(state: VaultState(.closed, grace: grace)))
    }

    /// Refuses to serve without keys.
    ///
    /// - Throws: ``ServiceUnavailable``.
    package func requireOpen() throws {
        guard current.withLock(\.isReady) else {
            throw ServiceUnavailable("the vault is not open", retryAfterSeconds: Self.intervalSeconds)
        }
    }

    /// Whether the server has its keys.
    package var isOpen: Bool { current.withLock(\.isReady) }

    /// Opens the vault when the server starts. If that needs a PIN from a person, the server starts without keys.
    ///
    /// - Throws: `KeyVaultError` if the vault cannot be used, ``RestoredDatabase``, ``RestoredVault``, `StoreError`.
    package func openAtStart() async throws {
        do {
            try await turn.withLock { try await self.open() }
        } catch KeyVaultError.vaultNeedsPIN(let reason) {
            current.withLock { _ = $0.state.failed(needsPIN: true, at: .now) }
            logger.critical(
                "The server answers 503 until it gets the PIN of the vault: run 'card-companion vault unseal'",
                metadata: ["reason": "\(reason)"])
        }
    }

    /// Whether a person's PIN would change anything.
    package var needsPIN: Bool { current.withLock { $0.state.phase != .open } }

    /// Opens the vault after a person has given its PIN.
    package func openNow() async throws {
        try await turn.withLock { try await self.open() }
    }

    /// Loads the server's keys as they are now.
    func refresh() async throws -> WrappedDataKeys {
        try await turn.withLock {
            try self.requireOpen()
            let (masterKey, keys) = try await self.dataKeys.refresh(self.keyring)
            self.current.withLock { $0.masterKey = masterKey }
            try await self.serverKeys.reload()
            self.forgetBanks()
            return keys
        }
    }

    package func run() async throws {
        await cancelWhenGracefulShutdown {
            while (try? await Task.sleep(for: .seconds(Self.intervalSeconds))) != nil {
                try? await self.turn.withLock { await self.look() }
                await self.report()
            }
        }
        await dataKeys.forgetServer(serverId, logger: logger)
        await dataKeys.vault.close()
    }

    /// Proves the vault, or opens it.
    func look() async {
        do throws(KeyVaultError) {
            guard let masterKey = current.withLock({ $0.state.hasKeys ? $0.masterKey : nil }) else {
                return await reopen()
            }
            try await masterKey.prove(with: SharedSecret(SecureRandom.secret(count: Self.probeByteCount)))
            metrics.proved(at: clock.now())
            await readOperators()
            take(current.withLock { $0.state.succeeded() }, reason: "")
        } catch {
            failed(error)
        }
    }

    private func reopen() async {
        guard current.withLock({ $0.state.phase != .awaitingPIN }) else {
            return logger.critical("The server has no keys: run 'card-companion vault unseal'")
        }
        do {
            try await open()
        } catch {
            guard let error = error as? KeyVaultError else {
                return logger.error("The vault could not be opened", metadata: ["error": "\(error)"])
            }
            failed(error)
            logger.critical("The server answers 503: it has no keys", metadata: ["reason": "\(error)"])
        }
    }

    private func open() async throws {
        do {
            let (masterKey, keys) = try await dataKeys.open(into: keyring)
            if !current.withLock(\.hasBeenReady) { try await BackupCopy.refuse(dataKeys.vault) }
            _ = try await countedObjects.refresh(from: dataKeys.vault)
            try await serverKeys.prepare()
            try await dataKeys.inventory.begin(keyring)
            // A server that has served has seen the newest seals itself.
            if !current.withLock(\.hasBeenReady) { try await trail.requireNewestSeals() }
            // A bank that was loaded while the vault was being lost may lack its keys.
            forgetBanks(always: true)
            current.withLock { $0.masterKey = masterKey }
            metrics.proved(at: clock.now())
            take(current.withLock { $0.state.succeeded() }, reason: "")
            if warnsOfRisk { warnOfRisk(keys) }
        } catch {
            // A server that does not serve keeps no keys.
            if !isOpen { wipe() }
            throw error
        }
        await report()
    }

    /// What a bank may do can have changed with the inventory, although its rows have not.
    private func forgetBanks(always: Bool = false) {
        let version = dataKeys.inventory.known?.version
        let isNew = current.withLock { current in
            defer { current.inventoryVersion = version }
            return current.inventoryVersion != version
        }
        if isNew || always { banks.forgetAll() }
    }

    /// Operators can change while the server runs. If they cannot be read, the last known ones count.
    private func readOperators() async {
        do {
            if try await countedObjects.refresh(from: dataKeys.vault) { banks.forgetAll() }
            try await dataKeys.inventory.followMark()
        } catch {
            logger.error("The records of the vault could not be read", metadata: ["error": "\(error)"])
        }
    }

    private func wipe() {
        keyring.close()
        serverKeys.forget()
        banks.forgetAll()
    }

    private func failed(_ error: KeyVaultError) {
        var needsPIN = false
        if case .vaultNeedsPIN = error { needsPIN = true }
        take(current.withLock { $0.state.failed(needsPIN: needsPIN, at: .now) }, reason: "\(error)")
    }

    private func take(_ steps: [VaultState.Step], reason: String) {
        for step in steps {
            switch step {
            case .alarm: logger.critical("The vault does not work", metadata: ["reason": "\(reason)"])
            case .wipe:
                current.withLock { $0.isReady = false }
                metrics.closed()
                wipe()
                logger.critical("The server answers 503: its keys were wiped, because the vault is lost")
            case .allClear:
                current.withLock { ($0.isReady, $0.hasBeenReady) = (true, true) }
                metrics.opened()
                logger.notice("The vault is open")
            }
        }
    }

    /// Tells the other servers which master key this one uses, and removes wrappings that none needs.
    private func report() async {
        guard let masterKey = current.withLock({ $0.state.hasKeys ? $0.masterKey : nil }) else { return }
        await dataKeys.reportServer(serverId, named: serverName, uses: masterKey.id, logger: logger)
    }

    private func warnOfRisk(_ keys: WrappedDataKeys) {
        let atRisk = keys.atRisk.map { "\($0.id)" }
        guard !atRisk.isEmpty else { return }
        logger.warning(
            """
            This installation is unfinished: if its master key is lost, everything is lost. Run 'card-companion vault init \
            --recovery-component-file', or add a second vault with 'card-companion vault rewrap --keep'
            """, metadata: ["data_keys": "\(atRisk.joined(separator: ", "))"])
    }
}
