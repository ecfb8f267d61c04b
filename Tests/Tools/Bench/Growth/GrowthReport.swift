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
            requestsPerSecond = loads.map(\.saturated.perSecond).median
            serverMicroseconds = loads.map(\.serverMicroseconds).median
            postgresMicroseconds = loads.map(\.postgresMicroseconds).median
            p50Milliseconds = loads.map { $0.half.percentile(0.5) }.median
            p99Milliseconds = loads.map { $0.half.percentile(0.99) }.median
        }
    }

    let operation: String
    let small: Side
    let large: Side
    /// Large to small: medians of the ratios of measurements that followed each other; 0 if these were too short to tell.
    let throughputRatio: Double
    let postgresRatio: Double

    init(operation: Operation, small: [Load], large: [Load]) {
        func ratio(_ value: (Load) -> Double) -> Double {
            zip(large, small).map { value($0) / value($1) }.filter(\.isFinite).median
        }
        self.operation = operation.rawValue
        self.small = Side(small)
        self.large = Side(large)
        throughputRatio = ratio(\.saturated.perSecond)
        postgresRatio = ratio(\.postgresMicroseconds)
    }
}

extension [Double] {
    /// The middle element in order; the upper one of two; 0 if there is none.
    fileprivate var median: Double { isEmpty ? 0 : sorted()[count / 2] }
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
        """
        \(measured) cardholders compared with \(cardholders) and \(spent) spent ids
        \(growths.text)

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

extension [Growth] {
    /// A table.
    var text: String {
        let rows = map { growth in
            let (small, large) = (growth.small, growth.large)
            return [
                growth.operation, Cell.number(small.requestsPerSecond), Cell.number(large.requestsPerSecond),
                Cell.ratio(growth.throughputRatio),
                Cell.number(small.postgresMicroseconds), Cell.number(large.postgresMicroseconds),
                Cell.ratio(growth.postgresRatio),
                Cell.ratio(small.p99Milliseconds), Cell.ratio(large.p99Milliseconds),
            ]
        }
        let header = [
            "operation", "req/s small", "large", "ratio", "PostgreSQL µs small", "large", "ratio", "p99 ms small",
            "large",
        ]
        return TextTable.text(header, rows)
    }
}
