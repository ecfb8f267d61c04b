internal import CoreMetrics
internal import Synchronization

/// The values of one metric for one set of label values. Those who count hold it: counting is one step, without a lock.
class Series: @unchecked Sendable {
    /// The values of the labels, in the order of the metric's labels.
    let labels: [String]

    init(_ labels: [String]) {
        self.labels = labels
    }
}

final class CounterSeries: Series, CounterHandler, @unchecked Sendable {
    private let total = Atomic<Int64>(0)

    var value: Int64 { total.load(ordering: .relaxed) }

    func increment(by amount: Int64) {
        // A counter that goes back would look like a server that has started again.
        guard amount > 0 else { return }
        total.wrappingAdd(amount, ordering: .relaxed)
    }

    func reset() {
        total.store(0, ordering: .relaxed)
    }
}

final class GaugeSeries: Series, RecorderHandler, MeterHandler, @unchecked Sendable {
    private let bits = Atomic<UInt64>(Double.zero.bitPattern)

    var value: Double { Double(bitPattern: bits.load(ordering: .relaxed)) }

    func record(_ value: Int64) { set(Double(value)) }
    func record(_ value: Double) { set(value) }
    func set(_ value: Int64) { set(Double(value)) }
    func set(_ value: Double) { bits.store(value.bitPattern, ordering: .relaxed) }
    func decrement(by amount: Double) { increment(by: -amount) }

    func increment(by amount: Double) {
        var old = bits.load(ordering: .relaxed)
        while true {
            let new = (Double(bitPattern: old) + amount).bitPattern
            let result = bits.compareExchange(expected: old, desired: new, ordering: .relaxed)
            if result.exchanged { return }
            old = result.original
        }
    }
}

final class HistogramSeries: Series, TimerHandler, @unchecked Sendable {
    private final class Bucket: Sendable {
        let count = Atomic<Int64>(0)
    }

    private static let nanosecondsPerSecond = 1e9

    private let limits: [Int64]
    /// One for each bound, and one for what is longer.
    private let buckets: [Bucket]
    private let sum = Atomic<Int64>(0)

    init(_ labels: [String], bounds: [Double]) {
        limits = bounds.map { Int64(($0 * Self.nanosecondsPerSecond).rounded()) }
        buckets = (0...bounds.count).map { _ in Bucket() }
        super.init(labels)
    }

    /// How many durations are not longer than each bound. The last number counts all of them.
    var counts: [Int64] {
        var total: Int64 = 0
        return buckets.map { bucket in
            total += bucket.count.load(ordering: .relaxed)
            return total
        }
    }

    var sumInSeconds: Double { Double(sum.load(ordering: .relaxed)) / Self.nanosecondsPerSecond }

    func recordNanoseconds(_ duration: Int64) {
        let index = limits.firstIndex { duration <= $0 } ?? limits.count
        buckets[index].count.wrappingAdd(1, ordering: .relaxed)
        sum.wrappingAdd(max(0, duration), ordering: .relaxed)
    }
}
