import ArgumentParser
import Foundation
import ServerHarness

/// Whether requests make more allocations than recorded.
struct AllocationsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "allocations",
        abstract: "Counts the allocations of each operation, and compares them with recorded numbers.",
        discussion: """
            The numbers hardly depend on the machine, or on what else it does. They depend on how the server was built. The exit status \
            is 1 if an operation makes over \(percent) % more than recorded.

            EXAMPLES
              bench allocations Tests/Tools/Bench/allocations.json --build release
              bench allocations Tests/Tools/Bench/allocations.json --build release --record
            """)

    /// How the server was built: what the optimizer does changes the numbers.
    enum Build: String, CaseIterable, ExpressibleByArgument {
        case release, tests
    }

    @Argument(help: "The file of recorded numbers.")
    var file: String
    @Option(help: "How the server was built: \(Build.allCases.map(\.rawValue).joined(separator: " or ")).")
    var build: Build
    @Flag(help: "Writes the numbers to the file.")
    var record = false

    private static let tolerance = 0.05
    private static var percent: Int { Int(tolerance * 100) }
    private static let requestCount = 150

    func run() async throws {
        let service = try await BenchService(cardholderCount: Self.requestCount, log: note)
        let counter = try await AllocationCounter(service)
        var counted: [String: Int] = [:]
        for operation in Operation.allCases where operation != .mix {
            let count = try await counter.perRequest(operation, of: service, numbers: 0..<Self.requestCount)
            counted[operation.rawValue] = Int(count.rounded())
        }
        try await counter.stop()
        try await service.server.stop()
        let all = try JSONDecoder().decode([String: [String: Int]].self, from: Data(contentsOf: URL(filePath: file)))
        if record { try write(all.merging([build.rawValue: counted]) { $1 }) }
        try compare(counted, with: record ? counted : all[build.rawValue] ?? [:])
    }

    private func write(_ all: [String: [String: Int]]) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try (encoder.encode(all) + Data("\n".utf8)).write(to: URL(filePath: file), options: .atomic)
    }

    private func compare(_ counted: [String: Int], with recorded: [String: Int]) throws {
        var areTooMany = false
        show(TextTable.line(["operation", "allocations", "recorded"], widths: Self.widths))
        for operation in Operation.allCases {
            guard let count = counted[operation.rawValue] else { continue }
            let most = recorded[operation.rawValue] ?? 0
            let isTooMany = Double(count) > Double(most) * (1 + Self.tolerance)
            areTooMany = areTooMany || isTooMany
            let line = TextTable.line([operation.rawValue, "\(count)", "\(most)"], widths: Self.widths)
            show(isTooMany ? "\(line)  TOO MANY" : line)
        }
        guard areTooMany else { return }
        note(
            "Some operations make over \(Self.percent) % more allocations than recorded in \(file). If that is meant, use --record."
        )
        throw ExitCode.failure
    }

    private static let widths = [20, 11, 8]
}
