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
            let allocations: Double
        }
        struct Imports: Decodable {
            let perSecond: Double
            let floorPerSecond: Double
        }
        struct Server: Decodable {
            let startMilliseconds: Double
            let residentMiB: Double
            let residentWithTLSMiB: Double
        }
        let measurements: [Measurement]
        let primitives: [String: Double]
        struct Verification: Decodable {
            let serverMicroseconds: Double
            let cryptographyMicroseconds: Double
        }
        let imports: Imports
        let server: Server
        let verification: Verification
    }

    private static let program = URL(filePath: CardCompanionBinary.path).deletingLastPathComponent()
        .appending(path: "bench").path

    @Test("Every operation is measured next to its floors, and two runs are compared")
    func run() async throws {
        let file = TestFolder.shared.unused("bench.json")
        let first = ["--cardholders", "60", "--seconds", "0.1", "--open-connections", "40", "--json", file]
        let result = try await TestCommand.run(Self.program, first).succeeded()
        let report = try JSONDecoder().decode(Report.self, from: Data(contentsOf: URL(filePath: file)))
        #expect(
            report.measurements.map(\.operation) == [
                "health", "keypad", "token/pin", "token/pin-indexes", "pin (HMAC, RSA-3072)", "token/captcha",
                "token/notify", "captcha (AC)", "notify (AC)", "GET cardholder", "PUT cardholder", "mix",
            ])
        for measured in report.measurements {
            #expect(measured.requestsPerSecond > 0 && measured.httpFloorMicroseconds > 0, "\(measured.operation)")
            #expect((measured.postgresFloorMicroseconds ?? 0) > 0 || measured.operation == "health")
            #expect(measured.allocations > 0, "\(measured.operation)")
            #expect(result.stdout.contains(measured.operation))
        }
        #expect(report.primitives.count == 16 && report.primitives.values.allSatisfy { $0 > 0 })

        #expect(report.imports.perSecond > 0 && report.imports.floorPerSecond > 0)
        #expect(report.server.startMilliseconds > 0)
        #expect(report.verification.serverMicroseconds > 0 && report.verification.cryptographyMicroseconds > 0)
        #expect(result.stdout.contains("verification of a document"))
        #expect(report.server.residentMiB > 1 && report.server.residentWithTLSMiB > 1)

        let second = ["--cardholders", "60", "--seconds", "0.1", "--only", "health", "--base", file]
        let compared = try await TestCommand.run(Self.program, second).succeeded()
        #expect(compared.stdout.contains("compared with the base"))
    }

    @Test("No operation makes more allocations than recorded")
    func allocations() async throws {
        let package = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardized
        let file = package.appending(path: "Tests/Tools/Bench/allocations.json").path
        let result = try await TestCommand.run(Self.program, ["allocations", file, "--build", "tests"])
        #expect(result.status == 0, "\(result.stdout)\(result.stderr)")
    }

    /// What the test reads of the report about growth.
    private struct GrowthReport: Decodable {
        struct Growth: Decodable {
            let operation: String
            let throughputRatio: Double
        }
        struct Retention: Decodable {
            let rows: Int
            let removed: Int
        }
        struct Size: Decodable {
            let table: String
            let rows: Int
            let bytes: Int
        }
        let growths: [Growth]
        let retention: Retention
        let sizes: [Size]
    }

    @Test("A large database is generated and measured, and housekeeping removes old rows under load")
    func growth() async throws {
        let file = TestFolder.shared.unused("growth.json")
        try await TestCommand.run(
            Self.program,
            [
                "grow", "--measured", "60", "--cardholders", "6000", "--spent", "5000", "--backlog", "2000",
                "--seconds",
                "0.1", "--rounds", "1", "--json", file,
            ]
        ).succeeded()
        let report = try JSONDecoder().decode(GrowthReport.self, from: Data(contentsOf: URL(filePath: file)))
        #expect(
            report.growths.map(\.operation) == [
                "keypad", "token/pin", "token/captcha", "GET cardholder", "PUT cardholder",
            ])
        #expect(report.growths.allSatisfy { $0.throughputRatio > 0 })
        #expect(report.retention.rows > 6000 && report.retention.removed > 0)
        let cardholders = try #require(report.sizes.first { $0.table == "cardholder" })
        #expect(cardholders.rows == 6000 && cardholders.bytes > 6000)
    }

    @Test("A long load reports the server's memory")
    func soak() async throws {
        let result = try await TestCommand.run(
            Self.program,
            ["soak", "--seconds", "1", "--per-second", "20", "--connections", "40", "--cardholders", "60"]
        ).succeeded()
        #expect(result.stdout.contains(/\d+ s  200 requests  \d+\.\d MiB/))
        #expect(result.stdout.contains("in the second: "))
    }
}
