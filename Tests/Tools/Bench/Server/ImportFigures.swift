import Foundation
import ServerHarness

/// The import of as many cardholders as there are, by HTTP, and what it cannot avoid.
struct ImportFigures: Codable {
    let lines: Int
    let perSecond: Double
    /// Bare COPY of the same rows, and then the cryptography of each line, on one processor.
    let floorPerSecond: Double
    /// Of the server, while it imports.
    let peakResidentMiB: Double

    /// - Parameter sealingMicroseconds: the cryptography of one line.
    static func measure(_ service: BenchService, sealingMicroseconds: Double) async throws -> ImportFigures {
        let lines = service.cardholderCount
        let file = try await BenchService.importFile(lines, service.bank.id, service.ecKey)
        let copySeconds = try await copy(service.installation)
        // A measurement of the server's memory from here on.
        let sampling = Task { try await ResidentMemory.peak(of: service.server.processID) }
        let start = Nanoseconds.now()
        try await send(file, lines, service)
        let seconds = Double(Nanoseconds.now() - start) / 1e9
        sampling.cancel()
        return ImportFigures(
            lines: lines, perSecond: Double(lines) / seconds,
            floorPerSecond: Double(lines) / (copySeconds + Double(lines) * sealingMicroseconds / 1e6),
            peakResidentMiB: try await sampling.value)
    }

    private static func send(_ file: String, _ lines: Int, _ service: BenchService) async throws {
        let call = try await ImportCall(file, service)
        let answer = try await service.server.stream(call.method, call.path, headers: call.fields, body: call.pieces)
        let last = String(decoding: answer.body.suffix(300), as: UTF8.self)
        guard answer.status == 200, last.contains("\"committed\":true"), last.contains("\"refused\":0") else {
            throw LoadFailed(description: "the import of \(lines) lines failed: \(last)")
        }
    }

    /// The seconds that COPY takes to write all cardholders into a table with the same indexes.
    private static func copy(_ installation: TestInstallation) async throws -> Double {
        let file = TestFolder.shared.unused("cardholders.copy")
        try await installation.psql("\\copy cardholder TO '\(file)' (FORMAT binary)")
        try await installation.sql("TRUNCATE lean.cardholder")
        let start = Nanoseconds.now()
        try await installation.psql("\\copy lean.cardholder FROM '\(file)' (FORMAT binary)")
        return Double(Nanoseconds.now() - start) / 1e9
    }
}
