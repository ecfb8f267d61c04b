import Administration
import ArgumentParser
import AsyncHTTPClient
import CardCompanionHTTP
import CardCompanionServer
import Foundation
import NIOCore
import NIOHTTP1
import NIOSSL

struct StatusCommand: ServerCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Shows whether the server on this machine serves requests.",
        discussion: """
            It calls the server at the address in the settings. The exit status is 0 if the server serves requests, 1 if it is \
            running but does not serve requests, and 69 if no server answers. 'doctor' says what may be wrong.

            EXAMPLES
              card-companion status
              card-companion status --config /etc/card-companion/config.json --json
            """)

    /// A server waits two seconds for its database.
    private static let timeoutSeconds: Int64 = 10
    private static let answerByteLimit = 10_000

    @OptionGroup(title: "Installation") var installation: InstallationOptions
    @OptionGroup(title: "HTTP") var http: HTTPOptions
    @OptionGroup(title: "Database") var database: DatabaseOptions
    @OptionGroup(title: "Server") var server: ServerOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let http = try await ServerSettings.read(self).http
        guard http.port != 0 else {
            throw CommandError.badInput(
                "http.port is 0, so only the server's log says which port it has: name that port with --http-port")
        }
        let url = "\(http.tls == nil ? "http" : "https")://\(Self.address(http.host)):\(http.port)"
        let report = try await Self.ask(url)
        try Terminal.show(report.text, json: report, asJSON: output.json)
        guard report.isReady else { throw ExitCode(1) }
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

    private static func ask(_ url: String) async throws -> Report {
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        // It is this machine's own server, and its certificate has the name that others call it by.
        configuration.tlsConfiguration = .makeClientConfiguration()
        configuration.tlsConfiguration?.certificateVerification = .none
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        do {
            let answer = try await client.execute(
                HTTPClientRequest(url: "\(url)/health/ready"), timeout: .seconds(timeoutSeconds))
            let body = try await answer.body.collect(upTo: answerByteLimit)
            try await client.shutdown()
            return Report(url: url, isReady: answer.status.code == 200, reason: reason(Array(body.readableBytesView)))
        } catch {
            try await client.shutdown()
            throw CommandError.unavailable("no server answers at \(url): is 'card-companion serve' running? (\(error))")
        }
    }

    /// What a refusal says.
    private static func reason(_ body: [UInt8]) -> String? {
        struct Problem: Decodable {
            let detail: String?
        }
        return try? JSONDecoder().decode(Problem.self, from: Data(body)).detail
    }

    private struct Report: Encodable {
        let url: String
        let isReady: Bool
        /// Why it does not serve.
        let reason: String?

        var text: String {
            isReady
                ? "the server at \(url) serves requests"
                : "the server at \(url) is running, but does not serve requests: its log says why, and "
                    + "'card-companion doctor' says what to do"
        }
    }
}
