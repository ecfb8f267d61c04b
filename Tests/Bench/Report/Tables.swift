import Foundation

extension Report {
    /// The report as text: measured, floor, ratio.
    var text: String {
        let rows = measurements.map { measured in
            [
                measured.operation, number(measured.requestsPerSecond), number(measured.serverMicroseconds),
                number(measured.serverFloorMicroseconds), ratio(measured.serverRatio),
                number(measured.postgresMicroseconds), number(measured.postgresFloorMicroseconds ?? 0),
                measured.postgresRatio.map(ratio) ?? "", milliseconds(measured.half.p50Milliseconds),
                milliseconds(measured.half.p99Milliseconds), milliseconds(measured.half.p999Milliseconds),
                milliseconds(measured.saturated.p99Milliseconds),
            ]
        }
        let header = [
            "operation", "req/s", "server µs", "floor", "ratio", "PostgreSQL µs", "floor", "ratio", "p50 ms", "p99",
            "p99.9", "p99 full",
        ]
        let floors = primitives.sorted { $0.key < $1.key }.map { [$0.key, number($0.value)] }
        return """
            \(Self.table(header, rows))

            \(Self.table(["primitive", "µs"], floors))

            import: \(number(importedPerSecond)) cardholders per second
            resident memory of the server: \(number(residentMiB)) MiB
            """
    }

    /// What has changed since another run: the ratio new to old.
    func comparison(with base: Report) -> String {
        let rows = measurements.compactMap { new -> [String]? in
            guard let old = base.measurements.first(where: { $0.operation == new.operation }) else { return nil }
            return [
                new.operation, ratio(new.requestsPerSecond / old.requestsPerSecond),
                ratio(new.serverMicroseconds / old.serverMicroseconds),
                old.postgresMicroseconds > 0 ? ratio(new.postgresMicroseconds / old.postgresMicroseconds) : "",
                ratio(new.half.p99Milliseconds / old.half.p99Milliseconds),
            ]
        }
        return "compared with the base (new to old)\n"
            + Self.table(["operation", "req/s", "server CPU", "PostgreSQL CPU", "p99"], rows)
    }

    private func number(_ value: Double) -> String {
        value == 0 ? "" : value >= 100 ? String(Int(value.rounded())) : String(format: "%.1f", value)
    }

    private func ratio(_ value: Double) -> String { String(format: "%.2f", value) }

    private func milliseconds(_ value: Double) -> String { String(format: "%.2f", value) }

    private static func table(_ header: [String], _ rows: [[String]]) -> String {
        let all = [header] + rows
        let widths = header.indices.map { column in all.map { $0[column].count }.max() ?? 0 }
        return all.map { row in
            zip(row, widths).enumerated().map { column, cell in
                let padding = String(repeating: " ", count: cell.1 - cell.0.count)
                return column == 0 ? cell.0 + padding : padding + cell.0
            }.joined(separator: "  ")
        }.joined(separator: "\n")
    }
}
