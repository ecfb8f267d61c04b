import Foundation
import ServerHarness

/// What is measured of the server as a whole.
struct ServerFigures: Codable {
    /// From the start of the process to its first answer that needs the database.
    let startMilliseconds: Double
    /// Of a server that has just answered a request on each of so many connections, which are still open.
    let connections: Int
    let residentMiB: Double
    let residentWithTLSMiB: Double

    static func measure(_ service: BenchService, connections: Int) async throws -> ServerFigures {
        let start = Nanoseconds.now()
        let plain = try await service.startServer()
        let first = try await Operation.keypad.requests(0..<1, of: service)
        _ = try LoadGenerator(port: plain.port, connectionCount: 1).run(first, .asFastAsPossible(seconds: 60))
        let milliseconds = Double(Nanoseconds.now() - start) / 1e6

        let requests = try await Operation.keypad.requests(0..<connections, of: service)
        let resident = try LoadGenerator(port: plain.port, connectionCount: connections).run(
            requests, .asFastAsPossible(seconds: 60)
        ) { _ in ProcessTimes.residentMiB(of: plain.processID) }
        try await plain.stop()

        let certificate = try await TLSConnections.makeCertificate()
        let secure = try await service.startServer(environment: certificate.environment)
        let withTLS = try await TLSConnections.open(connections, to: secure.port) {
            ProcessTimes.residentMiB(of: secure.processID)
        }
        try await secure.stop()
        return ServerFigures(
            startMilliseconds: milliseconds, connections: connections, residentMiB: resident,
            residentWithTLSMiB: withTLS)
    }
}

/// The resident memory of a process over time.
enum ResidentMemory {
    private static let intervalMilliseconds = 100

    /// The highest value, in MiB, until the task is cancelled.
    static func peak(of process: Int32) async throws -> Double {
        var peak = 0.0
        while true {
            peak = max(peak, ProcessTimes.residentMiB(of: process))
            guard (try? await Task.sleep(for: .milliseconds(intervalMilliseconds))) != nil else { return peak }
        }
    }
}
