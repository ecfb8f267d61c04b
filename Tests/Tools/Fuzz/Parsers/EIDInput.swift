import EIDInterface
import EIDSimulation
import Foundation

/// What an AusweisApp sends to an app, and what an app sends to the simulator: a line for each text.
enum EIDInput {
    private static let lineLimit = 64

    /// A session with an AusweisApp that sends anything.
    static func readMessages(_ bytes: [UInt8]) {
        let url = URL(fileURLWithPath: "/")
        var session = Session(level: .three)
        for (number, line) in bytes.lines(atMost: lineLimit).enumerated() {
            if session.state == .idle {
                let command: Command =
                    number.isMultiple(of: 2) ? .runAuth(RunAuth(tcTokenURL: url)) : .runChangePIN(RunChangePIN())
                require((try? session.send(command)) != nil, "no workflow can start")
            }
            guard let message = try? Message(parsing: Data(line.utf8)) else { continue }
            _ = session.receive(message)
        }
        guard session.state != .idle else { return }
        require((try? session.send(.cancel)) != nil, "a workflow cannot be ended")
        require(session.patienceSeconds != nil, "a workflow waits for ever")
    }

    /// A simulated kernel, and an app that sends anything.
    static func readCommands(_ bytes: [UInt8]) {
        var kernel = SimulatedKernel()
        kernel.connect()
        for line in bytes.lines(atMost: lineLimit) {
            // A workflow says a few things at once, but never many.
            require(kernel.receive(line.utf8).count <= 8, "a command has many answers")
        }
        kernel.disconnect()
        let answers = kernel.receive(Command.runChangePIN(RunChangePIN()).text.withBytes { Array($0) })
        guard case .message(.changePIN(.started), _)? = answers.first else {
            return require(false, "a workflow is left from another app")
        }
    }
}
