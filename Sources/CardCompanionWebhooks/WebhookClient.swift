internal import AsyncHTTPClient
internal import CardCompanion
internal import CardCompanionStore
internal import HTTPSignatures
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOSSL

/// Sends events to one bank, each signed with the server's key.
struct WebhookClient: Sendable {
    /// How long a bank can take to answer.
    static let timeoutSeconds: Int64 = 15

    private let bankId: Identifier
    private let url: WebhookURL
    private let client: HTTPClient
    private let keys: ServerKeys
    private let clock: WallClock

    /// Looks up the bank's host. The client connects to one of the addresses that were checked here, so the name cannot point
    /// elsewhere in between.
    ///
    /// - Parameters:
    ///   - lookups: threads for queries to name servers, which can be slow.
    ///   - trustedCAs: the roots for the bank's certificate; nil for the system's.
    /// - Throws: `InvalidSetting` if the host has no address, or one that is not allowed.
    init(
        _ webhook: WebhookRecord, keys: ServerKeys, clock: WallClock, lookups: NIOThreadPool,
        trustedCAs: [NIOSSLCertificate]?
    ) async throws {
        let url = try WebhookURL(webhook.url, isPrivate: webhook.isPrivate)
        let addresses = try await lookups.runIfActive {
            webhook.isPrivate ? NetworkAddress.addresses(of: url.host) : NetworkAddress.publicAddresses(of: url.host)
        }
        guard let addresses else {
            throw InvalidSetting(description: "the host \(url.host) has an address in a private network")
        }
        // Any of them: if one is dead, a later attempt finds another.
        guard let address = addresses.randomElement() else {
            throw InvalidSetting(description: "the host \(url.host) has no address")
        }
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.dnsOverride = [url.host: address]
        configuration.decompression = .disabled
        if let trustedCAs {
            var tls = TLSConfiguration.makeClientConfiguration()
            tls.trustRoots = .certificates(trustedCAs)
            configuration.tlsConfiguration = tls
        }
        bankId = webhook.bankId
        self.url = url
        self.keys = keys
        self.clock = clock
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    func close() async throws {
        try await client.shutdown()
    }

    /// Sends an event.
    ///
    /// - Returns: what went wrong; nil if the bank has accepted the event.
    func post(_ event: EventRecord) async -> String? {
        do {
            let body = event.json(bankId: bankId)
            var request = HTTPClientRequest(url: url.text)
            request.method = .POST
            request.body = .bytes(ByteBuffer(bytes: body))
            for (name, value) in try signedFields(body) { request.headers.add(name: name, value: value) }
            let answer = try await client.execute(request, timeout: .seconds(Self.timeoutSeconds))
            return 200...299 ~= answer.status.code ? nil : "HTTP status \(answer.status.code)"
        } catch {
            return "\(error)"
        }
    }

    private func signedFields(_ body: [UInt8]) throws -> [(String, String)] {
        guard let signer = keys.signer else { throw InvalidSetting(description: "the server has no signing key") }
        let fields = [
            ("Content-Type", "application/json"), ("Content-Digest", ContentDigest.fieldValue(for: body)),
        ]
        let message = SignedMessage(
            method: "POST", scheme: url.scheme, authority: url.authority, target: url.target, fields: fields)
        var components: [Component] = [.method, .authority, .path, .field(.contentDigest)]
        if message.hasQuery { components.append(.query) }
        return try fields + signer.signedFields(of: message, covering: components, at: clock.now())
    }
}
