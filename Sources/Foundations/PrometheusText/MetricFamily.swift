internal import Synchronization

/// One metric with all its series.
final class MetricFamily: Sendable {
    let description: MetricDescription
    private let series = Mutex<[[String]: Series]>([:])

    init(_ description: MetricDescription) {
        self.description = description
    }

    /// All series, in the order of their labels.
    var all: [Series] {
        series.withLock { $0.values.sorted { $0.labels.lexicographicallyPrecedes($1.labels) } }
    }

    /// The series with these labels. It is made if it does not exist and there is room. Without room, all share one.
    ///
    /// - Returns: nil if the metric has other labels.
    func series(_ dimensions: [(String, String)]) -> Series? {
        let names = description.labels
        guard dimensions.count == names.count else { return nil }
        let values = names.compactMap { name in dimensions.first { $0.0 == name }?.1 }
        guard values.count == names.count else { return nil }
        return series.withLock { series in
            let isNew = series[values] == nil && values != others
            let hasRoom = series.count - (series[others] == nil ? 0 : 1) < description.seriesLimit
            let labels = isNew && !hasRoom ? others : values
            if let known = series[labels] { return known }
            let new = make(labels)
            series[labels] = new
            return new
        }
    }

    /// Removes a series. The one that others share stays.
    func remove(_ gone: Series) {
        series.withLock { series in
            if gone.labels != others, series[gone.labels] === gone { series[gone.labels] = nil }
        }
    }

    private var others: [String] {
        description.labels.isEmpty ? [] : description.labels.map { _ in MetricDescription.otherValue }
    }

    private func make(_ labels: [String]) -> Series {
        switch description.kind {
        case .counter: CounterSeries(labels)
        case .gauge: GaugeSeries(labels)
        case .histogram(let bounds): HistogramSeries(labels, bounds: bounds)
        }
    }
}
