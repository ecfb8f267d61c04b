import ArgumentParser
import EIDInterface
import EIDWebSocket
import EIDWorkflow
import Foundation

/// An app for the eID card in the terminal.
@main
struct EIDTool: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "eid",
        abstract:
            "Uses an eID card through a running AusweisApp: changes its PIN, or identifies its holder at a service.",
        discussion: """
            PINs are read without echo, or from standard input, one per line. To try it without a card, start \
            eid-simulator.

            EXAMPLES
              eid info
              eid change-pin
              eid authenticate "https://service.example/token"
            """,
        subcommands: [Info.self, Watch.self, ChangePIN.self, Authenticate.self])
}

/// What all commands have.
struct ConnectionOptions: ParsableArguments {
    @Option(help: "The port that the AusweisApp listens on.")
    var port = WebSocketTransport.defaultPort

    @Flag(help: "Write lines of JSON to standard output.")
    var json = false

    func validate() throws {
        guard 1...65535 ~= port else { throw ValidationError("--port must be 1 to 65535") }
    }

    @MainActor
    var controller: WorkflowController {
        WorkflowController(transport: WebSocketTransport(port: port, userAgent: "eid/0.2.0"))
    }

    var output: Output { Output(json: json) }

    /// Follows what happens, until `isEnough` says that nothing more is wanted.
    ///
    /// - Throws: ``Failure`` if there is no AusweisApp, or it is lost.
    @MainActor
    func follow(until isEnough: (WorkflowEvent, WorkflowController) -> Bool) async throws {
        let controller = controller
        let events = controller.events()
        controller.start()
        defer { controller.stop() }
        for await event in events {
            if case .wrapperError(let error) = event { throw Failure(error.error) }
            if isEnough(event, controller) { return }
        }
    }
}

/// `eid info`
struct Info: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "info",
        abstract: "Shows the AusweisApp's version, and its readers and cards.")

    @OptionGroup var connection: ConnectionOptions

    @MainActor
    func run() async throws {
        let output = connection.output
        try await connection.follow { event, controller in
            switch event {
            case .started: controller.getInfo()
            case .message(.info(let version)):
                output.write(version)
                controller.getReaderList()
            case .message(.readerList(let readers)):
                for reader in readers { output.write(reader) }
                return true
            default: break
            }
            return false
        }
    }
}

/// `eid watch`
struct Watch: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Shows readers and cards that come and go, until Ctrl-C.")

    @OptionGroup var connection: ConnectionOptions

    @MainActor
    func run() async throws {
        let output = connection.output
        try await connection.follow { event, controller in
            switch event {
            case .started: controller.getReaderList()
            case .message(.readerList(let readers)): for reader in readers { output.write(reader) }
            case .message(.reader(let reader)): output.write(reader)
            default: break
            }
            return false
        }
    }
}

/// `eid change-pin`
struct ChangePIN: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "change-pin", abstract: "Changes the PIN, or the transport PIN, of a card.")

    @OptionGroup var connection: ConnectionOptions

    @MainActor
    func run() async throws {
        try await FlowRunner(PINChange(), connection.controller, connection.output).run()
    }
}

/// `eid authenticate URL`
struct Authenticate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "authenticate",
        abstract: "Identifies the holder of a card at a service.")

    @Argument(help: "The URL of the service's token (tcTokenURL).")
    var url: String

    @OptionGroup var connection: ConnectionOptions

    @MainActor
    func run() async throws {
        guard let url = URL(string: url), url.scheme != nil else { throw ValidationError("\(url) is not a URL") }
        try await FlowRunner(Authentication(tcTokenURL: url), connection.controller, connection.output).run()
    }
}

/// Why a command has failed.
struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
