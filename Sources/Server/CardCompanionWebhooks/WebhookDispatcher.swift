package import CardCompanion
internal import CardCompanionModel
package import CardCompanionStore
package import Logging
internal import Metrics
internal import NIOPosix
internal import NIOSSL
internal import ServiceLifecycle

/// Sends events to the banks that have a webhook: signed, at least once, in order per cardholder, again until the bank
/// answers 2xx. Any number of servers share the work. A slow bank delays no other.
package struct WebhookDispatcher: Service, CustomStringConvertible {
    /// How many banks a server sends to at once, and how many events of a bank.
    static let bankLimit = 256
    static let eventsAtOnce = 8
    /// How many name servers are queried at once.
    static let lookupLimit = 32
    /// How long an event belongs to this server: longer than an attempt takes.
    static let leaseSeconds: Int64 = 60

    private static let pause = Duration.seconds(1)

    /// Its name in the log.
    package let description = "webhook dispatcher"

    private let store: Store
    private let countedObjects: CountedObjects
    private let keys: ServerKeys
    private let clock: WallClock
    private let clockWatch: ClockWatch
    private let trustedCAs: [NIOSSLCertificate]?
    private let lookups = NIOThreadPool(numberOfThreads: lookupLimit)
    private let logger: Logger
    private let attempts = AttemptMetrics()

    /// - Parameter caPath: PEM file of the roots for banks' certificates; nil for the system's.
    /// - Throws: if the file cannot be read.
    package init(
        store: Store, countedObjects: CountedObjects, keys: ServerKeys, clock: WallClock, clockWatch: ClockWatch,
        caPath: String? = nil, logger: Logger
    ) throws {
        trustedCAs = try caPath.map { try NIOSSLCertificate.fromPEMFile($0) }
        self.store = store
        self.countedObjects = countedObjects
        self.keys = keys
        self.clock = clock
        self.clockWatch = clockWatch
        self.logger = logger
    }

    package func run() async throws {
        lookups.start()
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                let busy = BusyBanks(limit: Self.bankLimit)
                while !Task.isCancelled {
                    for bankId in await dueBanks() where busy.begin(bankId) {
                        group.addTask { busy.end(bankId, hasFailed: await !send(to: bankId)) }
                    }
                    try? await Task.sleep(for: Self.pause)
                }
            }
        }
        try await lookups.shutdownGracefully()
    }

    private func dueBanks() async -> [Identifier] {
        // By a wrong clock, everything could be due or too old, and banks would refuse the signatures. Without the vault there
        // is no key to sign with.
        guard (try? clockWatch.requireRightClock()) != nil, keys.signer != nil else { return [] }
        do {
            return try await store.banksWithDueDeliveries(now: clock.now())
        } catch {
            logger.warning("Webhook deliveries could not be read", metadata: ["error": "\(error)"])
            return []
        }
    }

    /// Sends everything that is due, until the bank accepts nothing more.
    ///
    /// - Returns: false if the bank accepted none of the last events.
    private func send(to bankId: Identifier) async -> Bool {
        do {
            guard let webhook = try await countedObjects.webhook(bankId: bankId), webhook.status == .active else {
                return true
            }
            // Before anything is leased: name servers can take longer than a lease.
            let client = await open(webhook)
            do {
                let isAccepting = try await sendAll(webhook, client)
                await close(client)
                return isAccepting
            } catch {
                await close(client)
                throw error
            }
        } catch {
            logger.warning("Webhook delivery failed", metadata: ["bank_id": "\(bankId)", "error": "\(error)"])
            return false
        }
    }

    private func open(_ webhook: WebhookRecord) async -> Result<WebhookClient, any Error> {
        do {
            return .success(
                try await WebhookClient(
                    webhook, keys: keys, clock: clock, lookups: lookups, trustedCAs: trustedCAs))
        } catch {
            return .failure(error)
        }
    }

    private func close(_ client: Result<WebhookClient, any Error>) async {
        guard case .success(let client) = client else { return }
        do {
            try await client.close()
        } catch {
            logger.warning("Webhook connections could not be closed", metadata: ["error": "\(error)"])
        }
    }

    private func sendAll(_ webhook: WebhookRecord, _ client: Result<WebhookClient, any Error>) async throws -> Bool {
        while !Task.isCancelled, case let due = try await lease(webhook.bankId), !due.isEmpty {
            guard await send(due, client) else { return false }
        }
        return true
    }

    private func lease(_ bankId: Identifier) async throws -> [LeasedDelivery] {
        let now = clock.now()
        return try await store.leaseDeliveries(
            bankId: bankId, limit: Self.eventsAtOnce, now: now, leasedUntil: now.advanced(bySeconds: Self.leaseSeconds))
    }

    /// Sends events of different cardholders at once.
    ///
    /// - Returns: whether the bank has accepted any of them.
    private func send(_ due: [LeasedDelivery], _ client: Result<WebhookClient, any Error>) async -> Bool {
        await withTaskGroup(of: Bool.self) { group in
            for delivery in due { group.addTask { await send(delivery, client) } }
            return await group.reduce(false) { $0 || $1 }
        }
    }

    private func send(_ delivery: LeasedDelivery, _ client: Result<WebhookClient, any Error>) async -> Bool {
        do {
            guard let event = try await store.event(of: delivery) else { return true }
            guard let problem = await problem(of: event, client) else {
                try await store.finish(delivery, now: clock.now())
                attempts.accepted.increment()
                return true
            }
            // If the server is stopping, the lease ends, and another server sends the event.
            if !Task.isCancelled { try await fail(delivery, of: event, problem) }
        } catch {
            // The lease ends, and the event is sent again.
            logger.warning("Webhook outcome could not be stored", metadata: ["error": "\(error)"])
        }
        return false
    }

    private func problem(of event: EventRecord, _ client: Result<WebhookClient, any Error>) async -> String? {
        switch client {
        case .success(let client): await client.post(event)
        case .failure(let error): "\(error)"
        }
    }

    private func fail(_ delivery: LeasedDelivery, of event: EventRecord, _ problem: String) async throws {
        var random = SystemRandomNumberGenerator()
        let next = WebhookRetry.nextAttempt(
            attempts: delivery.attempts, pendingSince: delivery.pendingSince, now: clock.now(), using: &random)
        (next == nil ? attempts.parked : attempts.refused).increment()
        logger.log(
            level: next == nil ? .error : .info,
            next == nil ? "Webhook event parked" : "Webhook event will be sent again",
            metadata: [
                "bank_id": "\(delivery.bankId)", "event": "\(event.id)", "attempts": "\(delivery.attempts)",
                "problem": "\(problem)",
            ])
        try await store.fail(delivery, nextAttemptAt: next, error: problem)
    }
}

/// Counts attempts to send an event.
private struct AttemptMetrics: Sendable {
    let accepted, refused, parked: Counter

    init() {
        func counter(_ outcome: String) -> Counter {
            Counter(label: "card_companion_webhook_attempts_total", dimensions: [("outcome", outcome)])
        }
        accepted = counter("accepted")
        refused = counter("refused")
        parked = counter("parked")
    }
}
