import Administration
import AsyncHTTPClient
import CardCompanionHTTP
import Foundation
import NIOCore
import NIOHTTP1
import NIOSSL

/// The server on this machine that the settings describe.
struct LocalServer {
    /// What it says of itself.
    struct Readiness {
        let isReady: Bool
        /// Why it does not serve.
        let reason: String?

        /// Whether it speaks as this program does. Another one can listen there.
        var isOurs: Bool { isReady || reason != nil }
    }

    /// A server waits two seconds for its database.
    private static let timeoutSeconds: Int64 = 10
    private static let answerByteLimit = 10_000

    let url: String

    init(_ http: HTTPSettings) {
        url = "\(http.tls == nil ? "http" : "https")://\(Self.address(http.host)):\(http.port)"
    }

    /// Where a server that listens on a host can be reached from its own machine.
    private static func address(_ host: String) -> String {
        switch host {
        case "0.0.0.0": "127.0.0.1"
        case "::": "[::1]"
        case _ where host.contains(":"): "[\(host)]"
        default: host
        }
    }

    /// - Throws: ``CommandError`` if no server answers.
    func readiness() async throws -> Readiness {
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        // It is this machine's own server, and its certificate has the name that others call it by.
        configuration.tlsConfiguration = .makeClientConfiguration()
        configuration.tlsConfiguration?.certificateVerification = .none
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        do {
            let answer = try await client.execute(
                HTTPClientRequest(url: "\(url)/health/ready"), timeout: .seconds(Self.timeoutSeconds))
            let body = try await answer.body.collect(upTo: Self.answerByteLimit)
            try await client.shutdown()
            return Readiness(isReady: answer.status.code == 200, reason: Self.reason(Array(body.readableBytesView)))
        } catch {
            try await client.shutdown()
            throw CommandError.unavailable(
                "no server answers at \(url). Is 'card-companion serve' running, and with these settings? 'systemctl status "
                    + "card-companion' and its log say more")
        }
    }

    /// What a refusal says.
    private static func reason(_ body: [UInt8]) -> String? {
        struct Problem: Decodable {
            let detail: String?
        }
        return try? JSONDecoder().decode(Problem.self, from: Data(body)).detail
    }
}
