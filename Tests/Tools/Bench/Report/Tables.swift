extension Measurement {
    private static let header = [
        "operation", "req/s", "of floors", "server µs", "floor", "ratio", "PostgreSQL µs", "floor", "ratio",
        "p50 ms", "p99", "p99.9", "p99 full", "allocations",
    ]
    /// The first column has room for the longest name of an operation. No number has more than five digits.
    private static let widths = header.enumerated().map { column, text in
        column == 0 ? Operation.allCases.map(\.rawValue.count).max() ?? 0 : max(text.count, 5)
    }

    /// The line above the rows.
    static var headerRow: String { TextTable.line(header, widths: widths) }

    /// Measured, floor, ratio. A row does not depend on the others, so that it can be shown at once.
    var row: String {
        let cells = [
            operation, Cell.number(requestsPerSecond), Cell.ratio(shareOfFloors), Cell.number(serverMicroseconds),
            Cell.number(serverFloorMicroseconds), Cell.ratio(serverRatio), Cell.number(postgresMicroseconds),
            Cell.number(postgresFloorMicroseconds ?? 0), postgresRatio.map(Cell.ratio) ?? "",
            Cell.ratio(half.p50Milliseconds), Cell.ratio(half.p99Milliseconds), Cell.ratio(half.p999Milliseconds),
            Cell.ratio(saturated.p99Milliseconds), Cell.number(allocations ?? 0),
        ]
        return TextTable.line(cells, widths: Self.widths)
    }
}

extension Report {
    /// What follows the rows of the operations.
    var summary: String {
        let floors = primitives.sorted { $0.key < $1.key }.map { [$0.key, Cell.number($0.value)] }
        return """

            \(TextTable.text(["primitive", "µs"], floors))

            import by the command: \(Cell.number(importedPerSecond)) cardholders per second
            resident memory of the server: \(Cell.number(residentMiB)) MiB
            \(serverText)
            \(verificationText)
            """
    }

    private var verificationText: String {
        guard let verification else { return "" }
        return """
            verification of a document: \(Cell.number(verification.serverMicroseconds)) µs of the server, \
            \(Cell.ratio(verification.ratio)) of its cryptography's \(Cell.number(verification.cryptographyMicroseconds)); \
            PostgreSQL \(Cell.number(verification.postgresMicroseconds)); \
            \(Cell.number(verification.sessionsPerSecond)) sessions per second, with the chips' work beside it
            its rules alone: \(Cell.number(verification.loopMicroseconds)) µs, \(Cell.ratio(verification.loopRatio)) of their \
            cryptography's \(Cell.number(verification.loopCryptographyMicroseconds))
            """
    }

    private var serverText: String {
        guard let imports, let server else { return "" }
        return """
            import by HTTP of \(imports.lines) lines: \(Cell.number(imports.perSecond)) per second, \
            \(Cell.ratio(imports.perSecond / imports.floorPerSecond)) of COPY and cryptography; \
            resident memory at most \(Cell.number(imports.peakResidentMiB)) MiB
            start to first answer: \(Cell.number(server.startMilliseconds)) ms
            resident memory with \(server.connections) connections: \(Cell.number(server.residentMiB)) MiB, \
            with TLS \(Cell.number(server.residentWithTLSMiB)) MiB
            """
    }

    /// What has changed since another run: the ratio new to old.
    func comparison(with base: Report) -> String {
        let rows = measurements.compactMap { new -> [String]? in
            guard let old = base.measurements.first(where: { $0.operation == new.operation }) else { return nil }
            return [
                new.operation, Cell.ratio(new.requestsPerSecond / old.requestsPerSecond),
                Cell.ratio(new.serverMicroseconds / old.serverMicroseconds),
                old.postgresMicroseconds > 0 ? Cell.ratio(new.postgresMicroseconds / old.postgresMicroseconds) : "",
                Cell.ratio(new.half.p99Milliseconds / old.half.p99Milliseconds),
            ]
        }
        return "compared with the base (new to old)\n"
            + TextTable.text(["operation", "req/s", "server CPU", "PostgreSQL CPU", "p99"], rows)
    }
}
