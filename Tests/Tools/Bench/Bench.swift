import ArgumentParser
import Foundation
import ServerHarness

/// Measures the server: each operation, next to what it cannot avoid, in one run on one machine.
@main
struct Bench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract: "Measures each operation of the server, and what it cannot avoid.",
        subcommands: [
            RunCommand.self, AllocationsCommand.self, OverloadCommand.self, TenantsCommand.self, GrowCommand.self,
            SoakCommand.self, HTTPFloorCommand.self,
        ],
        defaultSubcommand: RunCommand.self)
}

struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Runs all measurements, and prints a table.",
        discussion: """
            Each row is shown when it is measured, and the file of --json has the rows that were measured so far.

            EXAMPLES
              bench --cardholders 100000 --json run.json --base before.json
              bench --only keypad,notify
            """)

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
    @Option(
        help: """
            Only operations whose name contains one of these texts, separated by commas; 'verification' measures the \
            verification of documents.
            """)
    var only: String?
    @Option(help: "A file to lock while something is measured, if others measure on this machine too.")
    var lock: String?
    @Option(help: "The file that the results are written to.")
    var json: String?
    @Option(help: "A file of an earlier run, to compare with.")
    var base: String?

    /// The text of --only that measures the verification of documents alone.
    private static let verification = "verification"

    /// The texts of --only; nil measures everything.
    private var wanted: [String]? { only?.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) } }

    func validate() throws {
        for text in wanted ?? [] where text != Self.verification {
            guard !Operation.allCases.contains(where: { $0.rawValue.contains(text) }) else { continue }
            let names = Operation.allCases.map(\.rawValue).joined(separator: ", ")
            throw ValidationError("no operation has '\(text)' in its name. There are: \(names), \(Self.verification)")
        }
    }

    func run() async throws {
        FileLimit.raise()
        let base = try base.map { try JSONDecoder().decode(Report.self, from: Data(contentsOf: URL(filePath: $0))) }
        let service = try await BenchService(cardholderCount: cardholders, pooling: pooling, log: note)
        note("measuring floors")
        let held = MeasuringLock(path: lock)
        let floors = try await held.whileHeld { try await Floors(service: service, seconds: seconds) }
        var report = Report(
            cardholders: cardholders, importedPerSecond: service.importRate, residentMiB: 0, measurements: [],
            primitives: floors.primitives)
        try await measureOperations(of: service, floors, held, &report)
        report.residentMiB = ProcessTimes.residentMiB(of: service.server.processID)
        if wanted?.contains(Self.verification) ?? true {
            note("measuring the verification of documents")
            report.verification = try await held.whileHeld {
                try await VerificationFigures.measure(service, primitives: floors.primitives)
            }
            try write(report)
        }
        if wanted == nil {
            note("measuring the server as a whole")
            report.imports = try await held.whileHeld {
                try await ImportFigures.measure(service, sealingMicroseconds: floors.sealingMicroseconds)
            }
            report.server = try await held.whileHeld {
                try await ServerFigures.measure(service, connections: openConnections)
            }
        }
        try await service.server.stop()
        try write(report)
        show(report.summary)
        if let base { show("\n\(report.comparison(with: base))") }
    }

    private func measureOperations(
        of service: BenchService, _ floors: Floors, _ held: MeasuringLock, _ report: inout Report
    ) async throws {
        let counter = try await AllocationCounter(service)
        show(Measurement.headerRow)
        for operation in Operation.allCases where wanted?.contains(where: operation.rawValue.contains) ?? true {
            let measuring = Measuring(
                operation: operation, service: service, seconds: seconds, connectionCount: connections)
            let measured = try await held.whileHeld { try await measuring.measured(with: floors, counter) }
            show(measured.row)
            report.measurements.append(measured)
            try write(report)
        }
        try await counter.stop()
    }

    /// Writes the file of --json.
    private func write(_ report: Report) throws {
        guard let json else { return }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try encoder.encode(report).write(to: URL(filePath: json), options: .atomic)
    }
}

extension Pgbouncer.Mode: ExpressibleByArgument {}
