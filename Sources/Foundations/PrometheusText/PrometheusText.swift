/// Prometheus' text format 0.0.4: https://prometheus.io/docs/instrumenting/exposition_formats/
struct PrometheusText {
    private(set) var text = ""

    /// Adds a metric: its help, its type, and a line for each value.
    mutating func add(_ family: MetricFamily) {
        let description = family.description
        text += "# HELP \(description.name) \(Self.escaped(description.help, quotes: false))\n"
        text += "# TYPE \(description.name) \(description.kind.name)\n"
        for series in family.all {
            switch series {
            case let counter as CounterSeries: add(description, series, "\(counter.value)")
            case let gauge as GaugeSeries: add(description, series, Self.number(gauge.value))
            case let histogram as HistogramSeries: add(description, histogram)
            default: break
            }
        }
    }

    private mutating func add(_ description: MetricDescription, _ histogram: HistogramSeries) {
        guard case .histogram(let bounds) = description.kind else { return }
        let counts = histogram.counts
        for (bound, count) in zip(bounds + [.infinity], counts) {
            add(description, histogram, suffix: "_bucket", bound: Self.number(bound), "\(count)")
        }
        add(description, histogram, suffix: "_sum", Self.number(histogram.sumInSeconds))
        add(description, histogram, suffix: "_count", "\(counts.last ?? 0)")
    }

    private mutating func add(
        _ description: MetricDescription, _ series: Series, suffix: String = "", bound: String? = nil, _ value: String
    ) {
        var labels = zip(description.labels, series.labels).map { "\($0)=\"\(Self.escaped($1, quotes: true))\"" }
        if let bound { labels.append("le=\"\(bound)\"") }
        text += "\(description.name)\(suffix)"
        if !labels.isEmpty { text += "{\(labels.joined(separator: ","))}" }
        text += " \(value)\n"
    }

    private static func escaped(_ text: String, quotes: Bool) -> String {
        text.unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "\\": result += #"\\"#
            case "\n": result += #"\n"#
            case "\"" where quotes: result += #"\""#
            default: result.unicodeScalars.append(scalar)
            }
        }
    }

    private static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value > 0 ? "+Inf" : "-Inf" }
        // Whole numbers without a fraction, as people write them.
        if value == value.rounded(), abs(value) < 1e15 { return "\(Int64(value))" }
        return "\(value)"
    }
}

extension MetricDescription.Kind {
    fileprivate var name: String {
        switch self {
        case .counter: "counter"
        case .gauge: "gauge"
        case .histogram: "histogram"
        }
    }
}
