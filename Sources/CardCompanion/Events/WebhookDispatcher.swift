public import CardCompanionStore
public import Logging
internal import NIOPosix
internal import NIOSSL
public import ServiceLifecycle

/// Tells banks of their events where they have asked for it: signed, at least once, in order for each cardholder, again
/// and again until the bank answers 2xx. Any number of servers share the work; a slow bank holds up no other.
public struct WebhookDispatcher: Service, CustomStringConvertible {
    /// How many banks a server tells at once, and how many events of a bank.
    static let bankLimit = 256
    static let eventsAtOnce = 8
    /// How many name servers are asked at once.
    static let lookupLimit = 32
    /// How long an event is this server's: longer than a try takes.
    static let leaseSeconds: Int64 = 60

    private static let pause = Duration.seconds(1)

    /// Its name in the log.
    public let description = "webhook dispatcher"

    private let store: Store
    private let keys: ServerKeys
    private let clock: WallClock
    private let trustedCAs: [NIOSSLCertificate]?
    private let lookups = NIOThreadPool(numberOfThreads: lookupLimit)
    private let logger: Logger

    /// Over a store, and with the server's signing key.
    ///
    /// - Parameter caPath: PEM file of the CAs that a bank's certificate is to lead to; nil takes the system's.
    /// - Throws: where the file cannot be read.
    public init(store: Store, keys: ServerKeys, clock: WallClock, caPath: String? = nil, logger: Logger) throws {
        trustedCAs = try caPath.map { try NIOSSLCertificate.fromPEMFile($0) }
        self.store = store
        self.keys = keys
        self.clock = clock
        self.logger = logger
    }

    /// Works until it is told to stop.
    public func run() async throws {
        lookups.start()
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                let active = ActiveBanks(limit: Self.bankLimit)
                while !Task.isCancelled {
                    for bankId in await dueBanks() where active.begin(bankId) {
                        group.addTask { active.end(bankId, hasFailed: await !tell(bankId)) }
                    }
                    try? await Task.sleep(for: Self.pause)
                }
            }
        }
        try await lookups.shutdownGracefully()
    }

    private func dueBanks() async -> [String] {
        do {
            return try await store.banksWithDueDeliveries(now: clock.now())
        } catch {
            logger.warning("Webhooks cannot be looked at", metadata: ["error": "\(error)"])
            return []
        }
    }

    /// Tells a bank of all that is due, as long as it takes any of it.
    ///
    /// - Returns: false where it did not.
    private func tell(_ bankId: String) async -> Bool {
        do {
            guard let webhook = try await store.webhook(bankId: bankId), webhook.status == .active else { return true }
            // Before anything is leased: name servers may take longer than a lease.
            let client = await open(webhook)
            let isTaking = await tellAll(webhook, client)
            if case .success(let client) = client { try await client.close() }
            return isTaking
        } catch {
            logger.warning("A bank cannot be told", metadata: ["bank_id": "\(bankId)", "error": "\(error)"])
            return false
        }
    }

    private func tellAll(_ webhook: WebhookRecord, _ client: Result<WebhookClient, any Error>) async -> Bool {
        do {
            while !Task.isCancelled, case let due = try await lease(webhook.bankId), !due.isEmpty {
                guard await tell(due, webhook, client) else { return false }
            }
            return true
        } catch {
            logger.warning("A bank cannot be told", metadata: ["bank_id": "\(webhook.bankId)", "error": "\(error)"])
            return false
        }
    }

    private func lease(_ bankId: String) async throws -> [LeasedDelivery] {
        let now = clock.now()
        return try await store.leaseDeliveries(
            bankId: bankId, limit: Self.eventsAtOnce, now: now,
            leasedUntil: Timestamp(seconds: now.seconds + Self.leaseSeconds))
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

    /// Tells events of different cardholders at once.
    ///
    /// - Returns: whether the bank has taken any of them.
    private func tell(
        _ due: [LeasedDelivery], _ webhook: WebhookRecord, _ client: Result<WebhookClient, any Error>
    ) async -> Bool {
        await withTaskGroup(of: Bool.self) { group in
            for delivery in due { group.addTask { await tell(delivery, webhook, client) } }
            return await group.reduce(false) { $0 || $1 }
        }
    }

    private func tell(
        _ delivery: LeasedDelivery, _ webhook: WebhookRecord, _ client: Result<WebhookClient, any Error>
    ) async -> Bool {
        do {
            guard let event = try await store.event(id: delivery.eventId, bankId: webhook.bankId) else { return true }
            guard let problem = await problem(of: event, client) else {
                try await store.finish(delivery)
                return true
            }
            // Told to stop in the middle of it: the lease ends, and another server tells it.
            if !Task.isCancelled { try await fail(delivery, webhook, problem) }
        } catch {
            // The lease ends, and the event is told again.
            logger.warning("A webhook's outcome cannot be kept", metadata: ["error": "\(error)"])
        }
        return false
    }

    private func problem(of event: EventRecord, _ client: Result<WebhookClient, any Error>) async -> String? {
        switch client {
        case .success(let client): await client.post(event)
        case .failure(let error): "\(error)"
        }
    }

    private func fail(_ delivery: LeasedDelivery, _ webhook: WebhookRecord, _ problem: String) async throws {
        var random = SystemRandomNumberGenerator()
        let next = WebhookRetry.nextAttempt(
            attempts: delivery.attempts, pendingSince: delivery.pendingSince, now: clock.now(), using: &random)
        logger.log(
            level: next == nil ? .error : .info, next == nil ? "A webhook is parked" : "A webhook is to be told again",
            metadata: [
                "bank_id": "\(webhook.bankId)", "event": "\(delivery.eventId)", "attempts": "\(delivery.attempts)",
                "problem": "\(problem)",
            ])
        try await store.fail(delivery, nextAttemptAt: next, error: problem)
    }
}
