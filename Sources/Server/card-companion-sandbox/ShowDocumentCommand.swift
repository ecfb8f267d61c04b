import Administration
import ArgumentParser
import AsyncHTTPClient
import CardCompanionServer
import DocumentValidationClient
import DocumentValidationSimulation
import Foundation
import NIOCore
import NIOHTTP1
import StrictJSON

/// Plays an app that reads a made-up document, over a real WebSocket.
struct ShowDocumentCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show-document",
        abstract: "Simulates an app that reads a simulated chip, for a cardholder of a running sandbox.",
        discussion: """
            The sandbox's bank asks for a check, and the app reads the made-up document that a made-up state has \
            issued to the cardholder. Only the sandbox trusts that state. The exit status is 1 if the document did not \
            pass.

            EXAMPLES
              card-companion-sandbox show-document --url http://localhost:8080 \\
                  --sandbox .data/sandbox --cardholder alice
              card-companion-sandbox show-document --url http://localhost:8080 --sandbox .data/sandbox \\
                --cardholder alice --chip clone
            """)

    @Option(help: "The server's URL.")
    var url: String
    @Option(help: "The sandbox's folder.")
    var sandbox: String
    @Option(help: "The cardholder.")
    var cardholder: String
    @Option(help: "The chip that is read: genuine, clone, forged, stranger, expired or untrusted.")
    var chip = SandboxChip.genuine
    @OptionGroup var output: OutputOptions

    func run() async throws {
        guard let address = ServerAddress(url.replacing(/^http/, with: "ws").replacing(/\/$/, with: "")) else {
            throw CommandError.badInput("--url must be http://HOST:PORT or https://HOST:PORT")
        }
        let document = try chip.document(of: cardholder, SandboxState(directory: sandbox).issuer)
        let check = try await SandboxCheck(url: url, cardholder: cardholder)
        let outcome: ValidationClient.Outcome
        do {
            outcome = try await ValidationClient(address).run(
                SimulatedConnector(validationId: check.validationId, clientId: check.clientId, document: document))
        } catch let failure as ValidationClient.Failure {
            throw CommandError.unavailable("the server did not serve the session: \(failure)")
        }
        let reading = SimulatedReading(outcome.connector, end: outcome.closeFrame)
        try Terminal.show(reading.text, json: reading, asJSON: output.json)
        guard reading.hasPassed else { throw ExitCode(1) }
    }
}

/// A check that the bank of a running sandbox has made.
private struct SandboxCheck {
    private static let timeoutSeconds: Int64 = 10
    private static let byteLimit = 65_536

    let clientId: String
    let validationId: String

    init(url: String, cardholder: String) async throws {
        var request = HTTPClientRequest(url: "\(url)/sandbox/bank/identity-check")
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/json")
        request.body = .bytes(ByteBuffer(string: try Terminal.encode(["uniqueId": cardholder])))
        let answer: HTTPClientResponse
        let bytes: [UInt8]
        do {
            answer = try await HTTPClient.shared.execute(request, timeout: .seconds(Self.timeoutSeconds))
            bytes = Array((try await answer.body.collect(upTo: Self.byteLimit)).readableBytesView)
        } catch {
            throw CommandError.unavailable("\(url) does not answer: \(error)")
        }
        let json = try JSONValue(parsing: bytes)
        guard case .string(let clientId)? = json["clientId"], case .string(let validationId)? = json["validationId"]
        else {
            if case .string(let detail)? = json["detail"] { throw CommandError.refused(detail) }
            throw CommandError.refused("\(url) has no sandbox")
        }
        self.clientId = clientId
        self.validationId = validationId
    }
}
