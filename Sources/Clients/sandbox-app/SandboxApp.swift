import ArgumentParser
import CardCompanionAPI
import CardCompanionSDK
import Foundation

/// A demo of both sides of a bank: its back-end, which authenticates the cardholder and signs, and its app, which calls all
/// operations of the SDK. In a real bank these are separate, and the app has none of its keys.
@main
struct SandboxApp: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sandbox-app",
        abstract: "Fetches and chooses PINs in the sandbox with the SDK.",
        discussion: """
            EXAMPLES
              sandbox-app fetch --sandbox .data/sandbox --cardholder alice --image pin.png
              sandbox-app fetch --sandbox .data/sandbox --cardholder bob --flow token \\
                  --image pin.png
              sandbox-app define --sandbox .data/sandbox --cardholder bob --flow keypad
            """,
        subcommands: [Fetch.self, Define.self], defaultSubcommand: Fetch.self)

    struct Options: ParsableArguments {
        @Option(help: "The server's base URL.")
        var url = "http://127.0.0.1:8080"
        @Option(help: "The folder with the sandbox's files, such as .data/sandbox.")
        var sandbox: String
        @Option(help: "The cardholder.")
        var cardholder = "alice"

        func bank() throws -> BankBackEnd { try BankBackEnd(sandbox: URL(fileURLWithPath: sandbox)) }
    }
}

/// A step that failed, with its code.
struct Failure: Error, CustomStringConvertible {
    let step: String
    let code: Int
    let message: String

    var description: String { "\(step): \(code) \(message)" }

    /// The digest that the bank binds its proof to.
    static func requireBinding(_ binding: String?, _ step: String, _ code: Int, _ message: String) throws -> String {
        guard let binding else { throw Failure(step: step, code: code, message: message) }
        return binding
    }
}
