import ArgumentParser
import EIDSimulation
import Foundation
import Logging
import ServiceLifecycle
import UnixSignals

/// A program that apps of the eID card can be tried with, in place of an AusweisApp.
@main
struct EIDSimulator: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "eid-simulator",
        abstract: "Simulates the interface of the AusweisApp, with cards in memory. It does not authenticate anyone.",
        discussion: """
            Apps connect to ws://localhost:PORT/eID-Kernel. Without a scenario there is one reader with a card: PIN \
            123456, CAN 654321, PUK 1234567890. Scenarios are described in docs/eid.md.

            EXAMPLES
              eid-simulator
              eid-simulator --port 0 --scenario wrong-pin.json
            """)

    @Option(help: "The port to listen on, on the loopback address only. 0 takes a free port.")
    var port = KernelServer.defaultPort

    @Option(help: "A file that describes the readers and cards at the start, and what happens then.")
    var scenario: String?

    func validate() throws {
        guard 0...65535 ~= port else { throw ValidationError("--port must be 0 to 65535") }
    }

    func run() async throws {
        let scenario = try readScenario()
        let service = SimulatorService(server: KernelServer(KernelHost(scenario), port: port), writesFile: port == 0)
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [.init(service: service, successTerminationBehavior: .gracefullyShutdownGroup)],
                gracefulShutdownSignals: [.sigint, .sigterm],
                logger: Logger(label: "eid-simulator") { _ in SwiftLogNoOpLogHandler() }))
        try await group.run()
    }

    private func readScenario() throws -> Scenario {
        guard let scenario else { return Scenario() }
        guard let json = FileManager.default.contents(atPath: scenario) else {
            throw ValidationError("\(scenario) cannot be read")
        }
        do {
            return try Scenario(parsing: json)
        } catch {
            throw ValidationError("\(scenario): \(error)")
        }
    }
}

/// The server, until SIGINT or SIGTERM.
struct SimulatorService: Service {
    let server: KernelServer
    /// Whether the port is written to the file in which an app finds it (document 000, section 4.1).
    let writesFile: Bool

    private static var portFile: URL {
        FileManager.default.temporaryDirectory
            .appendingPathComponent("AusweisApp2.\(ProcessInfo.processInfo.processIdentifier).port")
    }

    func run() async throws {
        defer { if writesFile { try? FileManager.default.removeItem(at: Self.portFile) } }
        await cancelWhenGracefulShutdown {
            do {
                try await server.run { port in
                    if writesFile { try? Data(String(port).utf8).write(to: Self.portFile, options: .atomic) }
                    FileHandle.standardOutput.write(
                        Data("SIMULATION: ws://localhost:\(port)/eID-Kernel authenticates nobody\n".utf8))
                }
            } catch is CancellationError {
            } catch {
                FileHandle.standardError.write(Data("eid-simulator cannot listen: \(error)\n".utf8))
            }
        }
    }
}
