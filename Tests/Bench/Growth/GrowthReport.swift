import Foundation

/// One operation with a small and with a large database.
struct Growth: Codable {
    /// Medians of several measurements.
    struct Side: Codable {
        let requestsPerSecond: Double
        let serverMicroseconds: Double
        let postgresMicroseconds: Double
        /// At half of the highest rate.
        let p50Milliseconds: Double
        let p99Milliseconds: Double

        init(_ loads: [Load]) {
            func median(_ value: (Load) -> Double) -> Double { loads.map(value).sorted()[loads.count / 2] }
            requestsPerSecond = median(\.saturated.perSecond)
            serverMicroseconds = median(\.serverMicroseconds)
            postgresMicroseconds = median(\.postgresMicroseconds)
            p50Milliseconds = median { $0.half.percentile(0.5) }
            p99Milliseconds = median { $0.half.percentile(0.99) }
        }
    }

    let operation: String
    let small: Side
    let large: Side
}

struct GrowthReport: Codable {
    let cardholders: Int
    let spent: Int
    /// The number of cardholders of the small database.
    let measured: Int
    let growths: [Growth]
    let retention: Backlog.Result
    let sizes: [TableSize]

    var text: String {
        let rows = growths.map { growth in
            let (small, large) = (growth.small, growth.large)
            return [
                growth.operation, Cell.number(small.requestsPerSecond), Cell.number(large.requestsPerSecond),
                Cell.ratio(large.requestsPerSecond / small.requestsPerSecond),
                Cell.number(small.postgresMicroseconds), Cell.number(large.postgresMicroseconds),
                Cell.ratio(large.postgresMicroseconds / small.postgresMicroseconds),
                Cell.ratio(small.p99Milliseconds), Cell.ratio(large.p99Milliseconds),
            ]
        }
        let header = [
            "operation", "req/s small", "large", "ratio", "PostgreSQL µs small", "large", "ratio", "p99 ms small",
            "large",
        ]
        return """
            \(measured) cardholders compared with \(cardholders) and \(spent) spent ids
            \(TextTable.text(header, rows))

            \(retentionText)

            \(sizesText)
            """
    }

    private var retentionText: String {
        let rows = [
            ("without", retention.without, retention.longestWithoutMilliseconds),
            (
                "while \(retention.removed) of \(retention.rows) rows are removed", retention.during,
                retention.longestDuringMilliseconds
            ),
        ].map { name, latency, longest in
            [
                name, Cell.ratio(latency.p50Milliseconds), Cell.ratio(latency.p99Milliseconds),
                Cell.ratio(latency.p999Milliseconds), Cell.ratio(longest),
            ]
        }
        return TextTable.text(
            ["token/captcha, \(Cell.number(retention.perSecond)) per second", "p50 ms", "p99", "p99.9", "longest"], rows
        )
    }

    private var sizesText: String {
        TextTable.text(
            ["table", "index", "rows", "MiB", "bytes per row"],
            sizes.map {
                [
                    $0.table, $0.index ?? "", "\($0.rows)", Cell.number(Double($0.bytes) / Double(1 << 20)),
                    Cell.number($0.bytesPerRow),
                ]
            })
    }

    func write(to path: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try encoder.encode(self).write(to: URL(filePath: path))
    }
}
