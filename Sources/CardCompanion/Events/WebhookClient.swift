internal import AsyncHTTPClient
internal import CardCompanionStore
internal import Cryptography
internal import HTTPSignatures
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOSSL

/// Sends events to one bank, each signed with the server's key.
struct WebhookClient: Sendable {
    /// How long a bank may take to answer.
    static let timeoutSeconds: Int64 = 15

    private let webhook: WebhookRecord
    private let target: WebhookTarget
    private let client: HTTPClient
    private let keys: ServerKeys
    private let clock: WallClock

    /// Looks a bank's host up. It is one of the addresses found and checked here that is connected to: the name cannot lead
    /// elsewhere in between.
    ///
    /// - Parameters:
    ///   - lookups: threads for questions to name servers, which may be slow to answer.
    ///   - trustedCAs: what a bank's certificate is to lead to; nil takes the system's.
    /// - Throws: ``InvalidSetting`` where the URL leads nowhere, or where it may not lead.
    init(
        _ webhook: WebhookRecord, keys: ServerKeys, clock: WallClock, lookups: NIOThreadPool,
        trustedCAs: [NIOSSLCertificate]?
    ) async throws {
        let target = try WebhookTarget(webhook.url, isPrivate: webhook.isPrivate)
        let addresses = try await lookups.runIfActive { try target.addresses(isPrivate: webhook.isPrivate) }
        // Any of them: where one is dead, a later try finds another.
        guard let address = addresses.randomElement() else {
            throw InvalidSetting(description: "the host \(target.host) has no address")
        }
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.dnsOverride = [target.host: address]
        configuration.decompression = .disabled
        if let trustedCAs {
            var tls = TLSConfiguration.makeClientConfiguration()
            tls.trustRoots = .certificates(trustedCAs)
            configuration.tlsConfiguration = tls
        }
        self.webhook = webhook
        self.target = target
        self.keys = keys
        self.clock = clock
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    /// Ends all connections.
    func close() async throws {
        try await client.shutdown()
    }

    /// Sends an event.
    ///
    /// - Returns: what went wrong; nil where the bank has taken it.
    func post(_ event: EventRecord) async -> String? {
        do {
            let body = Array(event.json(bankId: webhook.bankId).utf8)
            var request = HTTPClientRequest(url: target.url)
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
