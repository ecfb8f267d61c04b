import ArgumentParser
import Foundation
import ServerHarness

/// Whether the server's memory grows under a long load.
struct SoakCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "soak", abstract: "Sends a mix of requests for a long time, and reports the server's memory.")

    @Option(help: "How long.")
    var seconds = 600.0
    @Option(help: "How many requests are sent per second.")
    var perSecond = 500.0
    @Option(help: "How many connections are open.")
    var connections = 1_000
    @Option(help: "How many cardholders there are.")
    var cardholders = 10_000

    /// Connections are new in each part, and requests are prepared for the next part while one is sent.
    private static let partSeconds = 10.0

    func run() async throws {
        FileLimit.raise()
        let service = try await BenchService(cardholderCount: cardholders) { _ in }
        let count = Int(Self.partSeconds * perSecond)
        var resident: [Double] = []
        var (sent, number) = (0, 0)
        var next = try await Operation.mix.requests(0..<count, of: service)
        let start = Nanoseconds.now()
        while Double(Nanoseconds.now() - start) / 1e9 < seconds {
            number += count
            let (requests, numbers) = (next, number..<(number + count))
            async let load = Task.detached { try send(requests, to: service.server) }.value
            next = try await Operation.mix.requests(numbers, of: service)
            let (answers, residentMiB) = try await load
            sent += answers
            resident.append(residentMiB)
            show("\((Nanoseconds.now() - start) / 1_000_000_000) s  \(sent) requests  \(Cell.number(residentMiB)) MiB")
        }
        try await service.server.stop()
        let half = resident.count / 2
        show(
            "highest in the first half: \(Cell.number(resident.prefix(half).max() ?? 0)) MiB, in the second: "
                + "\(Cell.number(resident.suffix(resident.count - half).max() ?? 0)) MiB")
    }

    /// At once: 'print' would keep it until a file's buffer is full.
    private func show(_ line: String) {
        FileHandle.standardOutput.write(Data("\(line)\n".utf8))
    }

    private func send(_ requests: RequestBatch, to server: TestServer) throws -> (answers: Int, residentMiB: Double) {
        let generator = LoadGenerator(port: server.port, connectionCount: connections)
        return try generator.run(requests, .constant(perSecond: perSecond)) { result in
            guard result.failures == 0 else { throw LoadFailed(description: result.unexpected ?? "") }
            return (result.latencies.count, ProcessTimes.residentMiB(of: server.processID))
        }
    }
}
