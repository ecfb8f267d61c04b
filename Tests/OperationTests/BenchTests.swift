import Foundation
import ServerHarness
import Testing

/// The harness of `make bench`, in its shortest form. No time is checked, because times depend on the machine.
@Suite("Bench")
struct BenchTests {
    /// What the test reads of the report.
    private struct Report: Decodable {
        struct Measurement: Decodable {
            let operation: String
            let requestsPerSecond: Double
            let serverMicroseconds: Double
            let httpFloorMicroseconds: Double
            let postgresFloorMicroseconds: Double?
        }
        let measurements: [Measurement]
        let primitives: [String: Double]
    }

    @Test("Every operation is measured next to its floors, and two runs are compared")
    func run() async throws {
        let program = URL(filePath: CardCompanionBinary.path).deletingLastPathComponent().appending(path: "bench").path
        let file = TestFolder.shared.unused("bench.json")
        let first = ["--cardholders", "60", "--seconds", "0.3", "--json", file]
        let result = try await TestCommand.run(program, first).succeeded()
        let report = try JSONDecoder().decode(Report.self, from: Data(contentsOf: URL(filePath: file)))
        #expect(
            report.measurements.map(\.operation) == [
                "health", "keypad", "token/pin", "pin (HMAC, RSA-3072)", "token/captcha", "captcha (AC)",
                "GET cardholder", "PUT cardholder",
            ])
        for measured in report.measurements {
            #expect(measured.requestsPerSecond > 0 && measured.httpFloorMicroseconds > 0, "\(measured.operation)")
            #expect((measured.postgresFloorMicroseconds ?? 0) > 0 || measured.operation == "health")
            #expect(result.stdout.contains(measured.operation))
        }
        #expect(report.primitives.count == 10 && report.primitives.values.allSatisfy { $0 > 0 })

        let second = ["--cardholders", "60", "--seconds", "0.3", "--only", "health", "--base", file]
        let compared = try await TestCommand.run(program, second).succeeded()
        #expect(compared.stdout.contains("compared with the base"))
    }
}
