import Foundation

@testable import EIDInterface
@testable import EIDSimulation

/// A kernel, with what it says as texts.
final class Kernel {
    private var kernel: SimulatedKernel

    init(_ scenario: String = "{}") throws {
        kernel = SimulatedKernel(try Scenario(parsing: Data(scenario.utf8)))
        kernel.connect()
    }

    func callAsFunction(_ command: String) -> [String] { kernel.receive(command.utf8).map(Self.text) }

    func perform(_ action: Scenario.Action) -> [String] { kernel.perform(action).map(Self.text) }

    func disconnect() { kernel.disconnect() }

    func connect() { kernel.connect() }

    private static func text(_ output: SimulatedKernel.Output) -> String {
        switch output {
        case .message(let message, let level):
            message.text(level: level).withBytes { String(decoding: $0, as: UTF8.self) }
        case .text(let text): text
        case .disconnect: "DISCONNECT"
        }
    }
}

/// A scenario of level 1 with one reader, and a card with these members.
func levelOne(card: String = "{}", reader: String = "", more: String = "") -> String {
    #"{"levels":[1],"cards":{"c":\#(card)},"readers":[{"name":"NFC","card":"c"\#(reader)}]\#(more)}"#
}

func nfc(_ tries: Int, inoperative: Bool = false) -> String {
    #""name":"NFC","attached":true,"keypad":false,"card":{"inoperative":\#(inoperative),"deactivated":false,"retryCounter":\#(tries)}"#
}

func enter(_ name: String, _ tries: Int, error: String? = nil) -> String {
    #"{"msg":"\#(name)",\#(error.map { #""error":"\#($0)","# } ?? "")"reader":{\#(nfc(tries))}}"#
}

func reader(_ tries: Int, inoperative: Bool = false) -> String {
    #"{"msg":"READER",\#(nfc(tries, inoperative: inoperative))}"#
}

let changePIN = #"{"cmd":"RUN_CHANGE_PIN"}"#
let started = #"{"msg":"CHANGE_PIN"}"#
let authenticate = #"{"cmd":"RUN_AUTH","tcTokenURL":"https://service.example/token"}"#
func set(_ name: String, _ value: String) -> String { #"{"cmd":"SET_\#(name)","value":"\#(value)"}"# }
