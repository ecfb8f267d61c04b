import ArgumentParser
import Foundation
import ServerHarness

/// Measures the server: each operation, next to what it cannot avoid, in one run on one machine.
@main
struct Bench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract: "Measures each operation of the server, and what it cannot avoid.",
        subcommands: [RunCommand.self, GrowCommand.self, SoakCommand.self, HTTPFloorCommand.self],
        defaultSubcommand: RunCommand.self)
}

struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Runs all measurements, and prints a table.",
        discussion: "EXAMPLE\n  bench --cardholders 100000 --json run.json --base before.json")

    @Option(help: "How many cardholders there are.")
    var cardholders = 100_000
    @Option(help: "How long each measurement takes.")
    var seconds = 4.0
    @Option(help: "How many connections the load generator has.")
    var connections = 16
    @Option(help: "With how many open connections the server's memory is measured.")
    var openConnections = 1_000
    @Option(help: "How pgbouncer gives the server its sessions: session or transaction. Default: no pgbouncer.")
    var pooling: Pgbouncer.Mode?
    @Option(help: "Only operations whose name contains this text; 'verification' for documents.")
    var only: String?
    @Option(help: "A file to lock while something is measured, if others measure on this machine too.")
    var lock: String?
    @Option(help: "The file that the results are written to.")
    var json: String?
    @Option(help: "A file of an earlier run, to compare with.")
    var base: String?

    /// The text of --only that measures the verification of documents alone.
    private static let verification = "verification"

    func run() async throws {
        FileLimit.raise()
        let service = try await BenchService(cardholderCount: cardholders, pooling: pooling, log: note)
        note("measuring floors")
        let held = MeasuringLock(path: lock)
        let floors = try await held.whileHeld { try await Floors(service: service, seconds: seconds) }
        let operations = Operation.allCases.filter { only == nil || $0.rawValue.contains(only ?? "") }
        var measurements: [Measurement] = []
        let counter = try await AllocationCounter(service)
        for operation in operations {
            note("measuring \(operation.rawValue)")
            let measuring = Measuring(
                operation: operation, service: service, seconds: seconds, connectionCount: connections)
            measurements.append(try await held.whileHeld { try await measuring.measured(with: floors, counter) })
        }
        try await counter.stop()
        let residentMiB = ProcessTimes.residentMiB(of: service.server.processID)
        var report = Report(
            cardholders: cardholders, importedPerSecond: service.importRate, residentMiB: residentMiB,
            measurements: measurements, primitives: floors.primitives)
        if only == nil || only == Self.verification {
            note("measuring the verification of documents")
            report.verification = try await held.whileHeld {
                try await VerificationFigures.measure(service, primitives: floors.primitives)
            }
        }
        if only == nil {
            note("measuring the server as a whole")
            report.imports = try await held.whileHeld {
                try await ImportFigures.measure(service, sealingMicroseconds: floors.sealingMicroseconds)
            }
            report.server = try await held.whileHeld {
                try await ServerFigures.measure(service, connections: openConnections)
            }
        }
        try await service.server.stop()
        try show(report)
    }

    private func show(_ report: Report) throws {
        print(report.text)
        if let json {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            try encoder.encode(report).write(to: URL(filePath: json))
        }
        if let base {
            let old = try JSONDecoder().decode(Report.self, from: Data(contentsOf: URL(filePath: base)))
            print("\n\(report.comparison(with: old))")
        }
    }

    private func note(_ text: String) {
        FileHandle.standardError.write(Data("\(text)\n".utf8))
    }
}

extension Pgbouncer.Mode: ExpressibleByArgument {}
