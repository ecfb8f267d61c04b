package import CardCompanion
package import CardCompanionModel
internal import Cryptography
internal import NIOPosix
internal import NIOSSL

/// Sends an event that says nothing, so that an operator and a bank see whether webhooks work. It is not stored, and it is not
/// in the bank's feed.
package enum WebhookTrial {
    /// The event's type.
    package static let eventType = "webhook.test"
    private static let idByteCount = 16

    /// Sends the event from this machine, signed as all are.
    ///
    /// - Parameter caPath: the roots for the bank's certificate, in PEM; nil for the system's.
    /// - Returns: what went wrong; nil if the bank has answered 2xx.
    /// - Throws: `InvalidSetting` if the URL's host has no address, or one that is not allowed.
    package static func send(
        to webhook: WebhookRecord, keys: ServerKeys, clock: WallClock, caPath: String?
    ) async throws -> String? {
        let lookups = NIOThreadPool(numberOfThreads: 1)
        lookups.start()
        do {
            let client = try await WebhookClient(
                webhook, keys: keys, clock: clock, lookups: lookups,
                trustedCAs: try caPath.map { try NIOSSLCertificate.fromPEMFile($0) })
            let event = EventRecord(
                id: Base64URL.encode(SecureRandom.bytes(count: idByteCount)), type: eventType, occurredAt: clock.now())
            let problem = await client.post(event)
            try await client.close()
            try await lookups.shutdownGracefully()
            return problem
        } catch {
            try await lookups.shutdownGracefully()
            throw error
        }
    }
}
