internal import AsyncHTTPClient
public import CardCompanionStore
internal import Cryptography
internal import Foundation
internal import HTTPSignatures
public import Logging
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOSSL
public import ServiceLifecycle

/// Tells banks of their events where they have asked for it: signed, at least once, in order for each cardholder, again
/// and again until the bank answers 2xx. Any number of servers share the work; a slow bank holds up no other.
public struct WebhookDispatcher: Service, CustomStringConvertible {
    /// How many banks a server tells at once, and how many events of a bank.
    static let bankLimit = 256
    static let eventsAtOnce = 8
    /// How long a bank may take to answer.
    static let timeoutSeconds: Int64 = 15
    /// How long an event is this server's: longer than a try takes.
    static let leaseSeconds: Int64 = 60

    private static let pause = Duration.seconds(1)

    /// Its name in the log.
    public let description = "webhook dispatcher"

    private let store: Store
    private let keys: ServerKeys
    private let clock: WallClock
    private let trustedCAs: [NIOSSLCertificate]?
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
            while !Task.isCancelled {
                let now = clock.now()
                let due = try await store.leaseDeliveries(
                    bankId: bankId, limit: Self.eventsAtOnce, now: now,
                    leasedUntil: Timestamp(seconds: now.seconds + Self.leaseSeconds))
                guard !due.isEmpty else { return true }
                guard await tell(due, webhook) else { return false }
            }
        } catch {
            logger.warning("A bank cannot be told", metadata: ["bank_id": "\(bankId)", "error": "\(error)"])
        }
        return true
    }

    /// Tells events of different cardholders at once.
    ///
    /// - Returns: whether the bank has taken any of them.
    private func tell(_ due: [LeasedDelivery], _ webhook: WebhookRecord) async -> Bool {
        await withTaskGroup(of: Bool.self) { group in
            for delivery in due { group.addTask { await tell(delivery, webhook) } }
            return await group.reduce(false) { $0 || $1 }
        }
    }

    private func tell(_ delivery: LeasedDelivery, _ webhook: WebhookRecord) async -> Bool {
        do {
            guard let event = try await store.event(id: delivery.eventId, bankId: webhook.bankId) else { return true }
            if let problem = await post(event, webhook) {
                // Told to stop in the middle of it: the lease ends, and another server tells it.
                guard !Task.isCancelled else { return false }
                try await fail(delivery, webhook, problem)
                return false
            }
            try await store.finishDelivery(eventId: delivery.eventId)
            return true
        } catch {
            // The lease ends, and the event is told again.
            logger.warning("A webhook's outcome cannot be kept", metadata: ["error": "\(error)"])
            return false
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
        try await store.failDelivery(eventId: delivery.eventId, nextAttemptAt: next, error: problem)
    }

    /// Sends an event.
    ///
    /// - Returns: what went wrong; nil where the bank has taken it.
    private func post(_ event: EventRecord, _ webhook: WebhookRecord) async -> String? {
        do {
            let target = try WebhookTarget(webhook.url, isPrivate: webhook.isPrivate)
            // The name is looked up once, checked, and that address is connected to: it cannot change in between.
            let addresses = try await NIOThreadPool.singleton.runIfActive {
                try target.addresses(isPrivate: webhook.isPrivate)
            }
            var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
            guard let address = addresses.first else { return "the host \(target.host) has no address" }
            configuration.dnsOverride = [target.host: address]
            configuration.decompression = .disabled
            if let trustedCAs {
                var tls = TLSConfiguration.makeClientConfiguration()
                tls.trustRoots = .certificates(trustedCAs)
                configuration.tlsConfiguration = tls
            }
            let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
            let problem = await send(event, to: target, webhook.bankId, client)
            try await client.shutdown()
            return problem
        } catch {
            return "\(error)"
        }
    }

    private func send(
        _ event: EventRecord, to target: WebhookTarget, _ bankId: String, _ client: HTTPClient
    ) async -> String? {
        do {
            let body = Array(event.json(bankId: bankId).utf8)
            var request = HTTPClientRequest(url: target.url)
            request.method = .POST
            request.body = .bytes(ByteBuffer(bytes: body))
            for (name, value) in try signedFields(body, to: target) { request.headers.add(name: name, value: value) }
            let answer = try await client.execute(request, timeout: .seconds(Self.timeoutSeconds))
            return 200...299 ~= answer.status.code ? nil : "HTTP status \(answer.status.code)"
        } catch {
            return "\(error)"
        }
    }

    private func signedFields(_ body: [UInt8], to target: WebhookTarget) throws -> [(String, String)] {
        guard let signer = keys.signer else { throw InvalidSetting(description: "the server has no signing key") }
        let fields = [
            ("Content-Type", "application/json"), ("Content-Digest", ContentDigest.fieldValue(for: body)),
        ]
        let message = SignedMessage(
            method: "POST", scheme: target.scheme, authority: target.authority, target: target.target, fields: fields)
        var components: [Component] = [.method, .authority, .path, .field(.contentDigest)]
        if message.hasQuery { components.append(.query) }
        let parameters = try SignatureParameters(
            components: components, created: clock.now().seconds,
            nonce: Base64URL.encode(SecureRandom.bytes(count: 18)), keyID: signer.keyId)
        let signature = try signer.key.sign(message, parameters: parameters)
        return fields + [("Signature-Input", signature.signatureInput), ("Signature", signature.signature)]
    }
}
