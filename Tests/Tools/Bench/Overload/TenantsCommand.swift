import ArgumentParser
import Foundation
import ServerHarness

/// What a bank that sends too much costs another one.
struct TenantsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tenants",
        abstract: "Sends a bank's share and fifty times as much, and measures the answers to another bank.",
        discussion: """
            Two banks share a server. One of them always sends its share of what the server can do. The other one sends its share, \
            then many times as much, and then the same with a limit on its rate (bank.rate).

            EXAMPLE
              bench tenants --share 0.05 --times 50 --seconds 30
            """)

    @Option(help: "How long each step takes.")
    var seconds = 30.0
    @Option(help: "The share of a bank, of what the server can do.")
    var share = 0.05
    @Option(help: "How many times its share the greedy bank sends.")
    var times = 50.0
    @Option(help: "How many connections each bank has at most.")
    var connections = 1_000
    @Option(help: "How many cardholders each bank has.")
    var cardholders = 10_000
    @Option(help: "What is sent.")
    var operation = Operation.fetchByToken

    func run() async throws {
        FileLimit.raise()
        let greedy = try await BenchService(
            cardholderCount: cardholders, environment: OverloadCommand.defaultLimits
        ) { note($0) }
        let honest = try await greedy.neighbour()
        note("measuring what the server can do")
        var numbers = Numbers()
        let capacity = try await greedy.generator(16)
            .run(operation.requests(numbers.next(4_000), of: greedy), .asFastAsPossible(seconds: 20)).perSecond
        let rate = capacity * share
        note("it answers \(Cell.number(capacity)) requests per second; a share is \(Cell.number(rate))")
        show(TextTable.line(["greedy/s", "limit", "good/s", "p50 ms", "p99 ms", "refused"], widths: Self.widths))
        for (factor, limit) in [(1.0, nil), (times, nil), (times, Int(rate * 2))] as [(Double, Int?)] {
            try await greedy.server.stop()
            let limits = limit.map { ["BANK_RATE": "\($0)"] } ?? [:]
            let server = try await greedy.startServer(
                environment: OverloadCommand.defaultLimits.merging(limits) { $1 })
            let flood = try await operation.requests(
                numbers.next(Int(rate * factor * (seconds + Self.leadSeconds))), of: greedy.served(by: server))
            let calm = try await operation.requests(numbers.next(Int(rate * seconds)), of: honest.served(by: server))
            // Opening a thousand connections takes a second of the server's time.
            let greedyLoad = generator(for: server, rate * factor)
            let greedyConnections = try greedyLoad.connect()
            async let flooded = greedyLoad.run(flood, .constant(perSecond: rate * factor), over: greedyConnections)
            try await Task.sleep(for: .seconds(Self.leadSeconds))
            let result = try generator(for: server, rate).run(calm, .constant(perSecond: rate))
            _ = try await flooded
            show(Self.row(rate * factor, limit, result))
            try await server.stop()
        }
    }

    /// So long the greedy bank sends before the other one is measured: until `bank.rate` has let its burst through.
    private static let leadSeconds = 5.0

    /// The server closes a connection that sends nothing for ten seconds. Two generators that never sleep take a processor each.
    private func generator(for server: TestServer, _ rate: Double) -> LoadGenerator {
        LoadGenerator(
            port: server.port, connectionCount: min(connections, max(1, Int(rate * 4))), sleepsUntilDue: true)
    }

    /// Each request of a cardholder is made once.
    private struct Numbers {
        private var used = 0

        mutating func next(_ count: Int) -> Range<Int> {
            defer { used += count }
            return used..<(used + count)
        }
    }

    private static let widths = [9, 6, 8, 8, 8, 8]

    private static func row(_ greedy: Double, _ limit: Int?, _ result: LoadResult) -> String {
        let refused = 100 * result.failures / max(1, result.latencies.count)
        return TextTable.line(
            [
                Cell.number(greedy), limit.map { "\($0)" } ?? "none",
                Cell.number(Double(result.successes.count) / result.seconds),
                Cell.number(LoadResult.percentile(0.5, of: result.successes)),
                Cell.number(LoadResult.percentile(0.99, of: result.successes)), "\(refused) %",
            ], widths: widths)
    }
}
