package import CoreMetrics

/// The metrics of this process, for Prometheus. It knows all of them in advance. Values of others are dropped, so that no
/// library adds any.
package final class PrometheusRegistry: MetricsFactory {
    private let families: [MetricFamily]
    private let named: [String: MetricFamily]

    /// - Parameter descriptions: all metrics, in the order in which they are written. No name may occur twice.
    package init(_ descriptions: [MetricDescription]) {
        families = descriptions.map(MetricFamily.init)
        named = Dictionary(uniqueKeysWithValues: families.map { ($0.description.name, $0) })
    }

    /// All values, in Prometheus' text format 0.0.4.
    package var text: String {
        var text = PrometheusText()
        for family in families { text.add(family) }
        return text.text
    }

    package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        let counter: CounterSeries? = series(label, dimensions)
        return counter ?? NOOPMetricsHandler.instance
    }

    package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        let gauge: GaugeSeries? = series(label, dimensions)
        return gauge ?? NOOPMetricsHandler.instance
    }

    /// - Parameter aggregate: must be false, which means a gauge. Only durations have histograms.
    package func makeRecorder(
        label: String, dimensions: [(String, String)], aggregate: Bool
    ) -> any RecorderHandler {
        let gauge: GaugeSeries? = aggregate ? nil : series(label, dimensions)
        return gauge ?? NOOPMetricsHandler.instance
    }

    package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        let histogram: HistogramSeries? = series(label, dimensions)
        return histogram ?? NOOPMetricsHandler.instance
    }

    package func destroyCounter(_ handler: any CounterHandler) { remove(handler) }
    package func destroyMeter(_ handler: any MeterHandler) { remove(handler) }
    package func destroyRecorder(_ handler: any RecorderHandler) { remove(handler) }
    package func destroyTimer(_ handler: any TimerHandler) { remove(handler) }

    private func series<Kind: Series>(_ name: String, _ dimensions: [(String, String)]) -> Kind? {
        named[name]?.series(dimensions) as? Kind
    }

    private func remove(_ handler: AnyObject) {
        guard let series = handler as? Series else { return }
        for family in families { family.remove(series) }
    }
}
