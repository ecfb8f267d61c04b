import ArgumentParser
import Foundation
import ServerHarness

/// What the server does when more comes than it can answer.
struct OverloadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "overload",
        abstract: "Sends shares and multiples of what the server can do, and counts what is answered in time.",
        discussion: """
            The server has the default limits. Requests come at a constant rate, whatever the answers do. Good is an \
            answer with success within a second of the time when the request was due.

            EXAMPLE
              bench overload --factors 0.5,1,2,5 --seconds 30 --json overload.json
              bench overload --tls --import
            """)

    @Option(help: "How long each step takes.")
    var seconds = 30.0
    @Option(help: "Multiples of what the server can do, separated by commas.")
    var factors = "0.5,1,2,5"
    @Option(help: "How many connections there are: a client with no answer yet sends no other request.")
    var connections = 1_500
    @Option(help: "How many cardholders there are.")
    var cardholders = 20_000
    @Option(help: "What is sent.")
    var operation = Operation.mix
    @Flag(help: "The connections use TLS.")
    var tls = false
    @Flag(name: .customLong("import"), help: "Cardholders are imported all the time.")
    var imports = false
    @Option(help: "The file that the results are written to.")
    var json: String?

    /// What an operator has who sets nothing.
    static let defaultLimits = [
        "HTTP_REQUESTS": "12", "DATABASE_ANSWER_TIMEOUT_MILLISECONDS": "2000", "DATABASE_ACQUIRE_TIMEOUT_SECONDS": "2",
    ]
    private static let saturatingConnections = 16

    private var multiples: [Double] { factors.split(separator: ",").compactMap { Double($0) } }

    func validate() throws {
        guard !multiples.isEmpty, multiples.count == factors.split(separator: ",").count else {
            throw ValidationError("--factors must be numbers such as 0.5,1,2,5")
        }
    }

    func run() async throws {
        FileLimit.raise()
        var service = try await BenchService(cardholderCount: cardholders, environment: Self.defaultLimits) { note($0) }
        if tls { service = try await service.withTLS(environment: Self.defaultLimits) }
        let imports = imports ? try await ImportLoad(service) : nil
        note("measuring what the server can do")
        let capacity = try await capacity(of: service)
        note(
            "it answers \(Cell.number(capacity.perSecond)) requests per second over \(Self.saturatingConnections) connections"
        )
        var steps: [OverloadStep] = []
        var number = capacity.requests
        show(OverloadStep.headerRow)
        for factor in multiples + [0.5] {
            let rate = capacity.perSecond * factor
            let count = Int(rate * seconds)
            let requests = try await operation.requests(number..<(number + count), of: service)
            number += count
            async let imported = imports?.run(seconds: seconds)
            let result = try service.generator(connections).run(requests, .constant(perSecond: rate))
            let step = OverloadStep(
                factor: factor, offeredPerSecond: rate, result, importedPerSecond: try await imported ?? 0,
                residentMiB: ProcessTimes.residentMiB(of: service.server.processID))
            show(step.row)
            steps.append(step)
        }
        try await service.server.stop()
        guard let json else { return }
        let report = OverloadReport(
            operation: operation.rawValue, capacityPerSecond: capacity.perSecond, overload: steps)
        try JSONEncoder().encode(report).write(to: URL(filePath: json), options: .atomic)
    }

    private func capacity(of service: BenchService) async throws -> (perSecond: Double, requests: Int) {
        let generator = service.generator(Self.saturatingConnections)
        let pilot = try await operation.requests(0..<2_000, of: service)
        let rate = try generator.run(pilot, .asFastAsPossible(seconds: 20)).perSecond
        let count = Int(rate * 10)
        let requests = try await operation.requests(2_000..<(2_000 + count), of: service)
        let result = try generator.run(requests, .asFastAsPossible(seconds: 5))
        guard result.failures == 0 else { throw LoadFailed(description: result.unexpected ?? "") }
        return (result.perSecond, 2_000 + count)
    }
}

extension Operation: ExpressibleByArgument {}

struct OverloadReport: Encodable {
    let operation: String
    let capacityPerSecond: Double
    let overload: [OverloadStep]
}

/// What was answered at one rate.
struct OverloadStep: Encodable {
    /// In times of what the server can do.
    let factor: Double
    let offeredPerSecond: Double
    /// Successes within a second.
    let goodPerSecond: Double
    let goodP50Milliseconds: Double
    let goodP99Milliseconds: Double
    let refusedShare: Double
    let refusedP99Milliseconds: Double
    let lateShare: Double
    /// Lines of imports.
    let importedPerSecond: Double
    let residentMiB: Double

    init(
        factor: Double, offeredPerSecond: Double, _ result: LoadResult, importedPerSecond: Double, residentMiB: Double
    ) {
        self.factor = factor
        self.importedPerSecond = importedPerSecond
        self.offeredPerSecond = offeredPerSecond
        self.residentMiB = residentMiB
        let all = Double(max(1, result.latencies.count))
        let good = result.successes.filter { $0 <= 1_000_000_000 }
        goodPerSecond = Double(good.count) / result.seconds
        goodP50Milliseconds = LoadResult.percentile(0.5, of: good)
        goodP99Milliseconds = LoadResult.percentile(0.99, of: result.successes)
        refusedShare = Double(result.failures) / all
        refusedP99Milliseconds = LoadResult.percentile(0.99, of: result.refusals)
        lateShare = Double(result.successes.count - good.count) / all
    }

    private static let widths = [6, 9, 9, 8, 8, 8, 12, 6, 10, 6]

    static let headerRow = TextTable.line(
        ["times", "offered/s", "good/s", "p50 ms", "p99 ms", "refused", "refused p99", "late", "imported/s", "MiB"],
        widths: widths)

    var row: String {
        TextTable.line(
            [
                Cell.ratio(factor), Cell.number(offeredPerSecond), Cell.number(goodPerSecond),
                Cell.number(goodP50Milliseconds), Cell.number(goodP99Milliseconds), "\(Int(refusedShare * 100)) %",
                Cell.number(refusedP99Milliseconds), "\(Int(lateShare * 100)) %",
                Cell.number(importedPerSecond), Cell.number(residentMiB),
            ], widths: Self.widths)
    }
}
