import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOSSL
import ServerHarness

/// Requests over one connection of HTTP/2. Any certificate will do.
struct HTTP2Streams: Sendable {
    struct NotHTTP2: Error {}

    private let client: AsyncHTTPClient.HTTPClient

    static func with(_ body: (HTTP2Streams) async throws -> Void) async throws {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.certificateVerification = .none
        let client = AsyncHTTPClient.HTTPClient(configuration: .init(tlsConfiguration: tls))
        do {
            try await body(HTTP2Streams(client: client))
        } catch {
            try await client.shutdown()
            throw error
        }
        try await client.shutdown()
    }

    func post(_ url: String, _ body: [String: JSON]) async throws -> (status: UInt, members: [String: JSON]) {
        var request = HTTPClientRequest(url: url)
        request.method = .POST
        request.headers = ["Content-Type": "application/json"]
        request.body = .bytes(ByteBuffer(string: JSON.object(body).text))
        let answer = try await client.execute(request, timeout: .seconds(180))
        guard answer.version == .http2 else { throw NotHTTP2() }
        let text = String(buffer: try await answer.body.collect(upTo: 1 << 20))
        return (answer.status.code, try JSON(parsing: text).object ?? [:])
    }
}
