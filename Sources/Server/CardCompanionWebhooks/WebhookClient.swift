internal import CardCompanion
internal import CardCompanionModel
internal import NIOPosix
internal import NIOSSL

/// Sends events to one bank.
struct WebhookClient: Sendable {
    /// How long a bank can take to answer.
    static let timeoutSeconds: Int64 = 15

    private let bankId: Identifier
    private let server: BankServer

    /// - Throws: `InvalidSetting` if the host has no address, or one that is not allowed.
    init(
        _ webhook: WebhookRecord, keys: ServerKeys, clock: WallClock, lookups: NIOThreadPool,
        trustedCAs: [NIOSSLCertificate]?
    ) async throws {
        bankId = webhook.bankId
        server = try await BankServer(
            webhook.url, isPrivate: webhook.isPrivate, timeoutSeconds: Self.timeoutSeconds, keys: keys, clock: clock,
            lookups: lookups,
            trustedCAs: trustedCAs)
    }

    func close() async throws {
        try await server.close()
    }

    /// Sends an event.
    ///
    /// - Returns: what went wrong; nil if the bank has accepted the event.
    func post(_ event: EventRecord) async -> String? {
        let body = event.json(bankId: bankId)
        switch await server.post(body, contentType: "application/json") {
        case .status(200...299): return nil
        case .status(let code): return "HTTP status \(code)"
        case .problem(let text): return text
        }
    }
}
