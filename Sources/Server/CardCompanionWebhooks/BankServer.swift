internal import AsyncHTTPClient
internal import CardCompanion
internal import CardCompanionModel
internal import HTTPSignatures
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOSSL

/// A server of a bank that this server posts to. Each message is signed with the server's key (RFC 9421).
struct BankServer: Sendable {
    /// What a server has answered.
    enum Answer: Sendable {
        case status(UInt)
        /// There was none.
        case problem(String)
    }

    /// How long the end of TLS can take when an answer has come, or has not come in time. The server's part of it is worth nothing.
    private static let closeTimeout = TimeAmount.milliseconds(100)

    private let url: WebhookURL
    private let client: HTTPClient
    private let timeoutSeconds: Int64
    private let keys: ServerKeys
    private let clock: WallClock

    /// Looks up the host. The client connects to one of the addresses that were checked here, so the name cannot point elsewhere
    /// in between.
    ///
    /// - Parameters:
    ///   - isPrivate: whether the URL may point into a private network.
    ///   - timeoutSeconds: for the whole exchange, and for a connection that is not open yet when that is given up.
    ///   - lookups: threads for queries to name servers, which can be slow.
    ///   - trustedCAs: the roots for the server's certificate; nil for the system's.
    /// - Throws: `InvalidSetting` if the host has no address, or one that is not allowed.
    init(
        _ text: String, isPrivate: Bool, timeoutSeconds: Int64, keys: ServerKeys, clock: WallClock,
        lookups: NIOThreadPool, trustedCAs: [NIOSSLCertificate]?
    ) async throws {
        let url = try WebhookURL(text, isPrivate: isPrivate)
        let addresses = try await lookups.runIfActive {
            isPrivate ? NetworkAddress.addresses(of: url.host) : NetworkAddress.publicAddresses(of: url.host)
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
        configuration.timeout.connect = .seconds(timeoutSeconds)
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.shutdownTimeout = Self.closeTimeout
        if let trustedCAs { tls.trustRoots = .certificates(trustedCAs) }
        configuration.tlsConfiguration = tls
        self.url = url
        self.timeoutSeconds = timeoutSeconds
        self.keys = keys
        self.clock = clock
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    func close() async throws {
        try await client.shutdown()
    }

    /// Posts a message.
    func post(_ body: [UInt8], contentType: String) async -> Answer {
        do {
            var request = HTTPClientRequest(url: url.text)
            request.method = .POST
            request.body = .bytes(ByteBuffer(bytes: body))
            for (name, value) in try signedFields(body, contentType) { request.headers.add(name: name, value: value) }
            let answer = try await client.execute(request, timeout: .seconds(timeoutSeconds))
            return .status(answer.status.code)
        } catch {
            return .problem("\(error)")
        }
    }

    private func signedFields(_ body: [UInt8], _ contentType: String) throws -> [(String, String)] {
        guard let signer = keys.signer else { throw InvalidSetting(description: "the server has no signing key") }
        let fields = [("Content-Type", contentType), ("Content-Digest", ContentDigest.fieldValue(for: body))]
        let message = SignedMessage(
            method: "POST", scheme: url.scheme, authority: url.authority, target: url.target, fields: fields)
        var components: [Component] = [.method, .authority, .path, .field(.contentDigest)]
        if message.hasQuery { components.append(.query) }
        return try fields + signer.signedFields(of: message, covering: components, at: clock.now())
    }
}
