import ArgumentParser
import Foundation
import ServerHarness

/// Measures whether a large database is slower than a small one, and whether the removal of old rows stalls requests.
struct GrowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "grow",
        abstract: "Compares a large database with a small one, and says what rows take on disk.",
        discussion: """
            EXAMPLE
              bench grow --cardholders 20000000 --spent 100000000 --json growth.json
            """)

    @Option(help: "How many cardholders the large database has.")
    var cardholders = 1_000_000
    @Option(help: "How many ids of used tokens the large database has.")
    var spent = 5_000_000
    @Option(help: "How many cardholders the small database has. Requests go to so many in the large one, too.")
    var measured = 10_000
    @Option(help: "How many rows of each kind housekeeping then removes under load.")
    var backlog = 300_000
    @Option(help: "How long each measurement takes.")
    var seconds = 2.0
    @Option(help: "How many times each measurement is taken, of the small and the large database in turn.")
    var rounds = 7
    @Option(help: "How many connections the load generator has.")
    var connections = 16
    @Option(help: "Only operations whose name contains this text; then without the removal of old rows.")
    var only: String?
    @Option(help: "A file to lock while something is measured, if others measure on this machine too.")
    var lock: String?
    @Option(help: "The file that the results are written to.")
    var json: String?

    private static let operations: [Operation] = [
        .keypad, .definePINByToken, .fetchByToken, .getCardholder, .putCardholder,
    ]
    private static let backlogSeconds = 30.0

    func run() async throws {
        let small = try await BenchService(cardholderCount: measured, log: note)
        let large = try await BenchService(cardholderCount: measured, log: note)
        try await GeneratedRows(service: large, cardholders: cardholders, spent: spent).insert(log: note)
        let held = MeasuringLock(path: lock)
        let sizes = try await TableSize.all(in: large.installation)
        var growths: [Growth] = []
        for operation in Self.operations where only == nil || operation.rawValue.contains(only ?? "") {
            note("measuring \(operation.rawValue)")
            growths.append(
                try await held.whileHeld { try await compare(operation, small, large) })
        }
        guard only == nil else {
            try await small.server.stop()
            return print(growths.text)
        }
        let fetches = growths.first { $0.operation == Operation.fetchByToken.rawValue }
        let retention = try await Backlog(
            service: large, rows: backlog, seconds: min(Self.backlogSeconds, 15 * seconds),
            connectionCount: connections
        ).measure(perSecond: (fetches?.large.requestsPerSecond ?? 0) / 2, lock: held, log: note)
        let report = GrowthReport(
            cardholders: cardholders, spent: spent, measured: measured, growths: growths, retention: retention,
            sizes: sizes)
        try await small.server.stop()
        print(report.text)
        if let json { try report.write(to: json) }
    }

    /// The two take turns, because a machine's speed changes with time.
    private func compare(_ operation: Operation, _ small: BenchService, _ large: BenchService) async throws -> Growth {
        var (smallLoads, largeLoads): ([Load], [Load]) = ([], [])
        for round in 0..<rounds {
            func load(_ service: BenchService) async throws -> Load {
                try await Measuring(
                    operation: operation, service: service, seconds: seconds, connectionCount: connections
                ).load(from: round * 1_000_000)
            }
            smallLoads.append(try await load(small))
            largeLoads.append(try await load(large))
        }
        return Growth(operation: operation, small: smallLoads, large: largeLoads)
    }
}
