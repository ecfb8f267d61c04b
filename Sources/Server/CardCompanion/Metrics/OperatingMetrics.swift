internal import CardCompanionModel
internal import Metrics

struct DrawingMetrics: Sendable {
    private let jobs = Meter(label: "card_companion_drawing_jobs")
    private let refusals = Counter(label: "card_companion_drawing_refused_total")

    init(costLimit: Int) {
        Gauge(label: "card_companion_drawing_jobs_limit").record(costLimit)
    }

    func begun(_ cost: Int) { jobs.increment(by: Double(cost)) }

    func ended(_ cost: Int) { jobs.decrement(by: Double(cost)) }

    func refused() { refusals.increment() }
}

struct HousekeepingMetrics: Sendable {
    private let lastRun = Gauge(label: "card_companion_housekeeping_last_run_timestamp_seconds")
    private let rows, failures: [ExpiredKind: Counter]

    init() {
        func counters(_ name: String) -> [ExpiredKind: Counter] {
            Dictionary(
                uniqueKeysWithValues: ExpiredKind.allCases.map {
                    ($0, Counter(label: name, dimensions: [("kind", "\($0)")]))
                })
        }
        rows = counters("card_companion_housekeeping_rows_total")
        failures = counters("card_companion_housekeeping_failures_total")
    }

    func removed(_ count: Int, of kind: ExpiredKind) { rows[kind]?.increment(by: count) }

    func failed(_ kind: ExpiredKind) { failures[kind]?.increment() }

    /// Records that a round ended in which nothing failed.
    func succeeded(at now: Timestamp) { lastRun.record(now.secondsWithFraction) }
}

struct VaultMetrics: Sendable {
    private let isOpen = Gauge(label: "card_companion_vault_open")
    private let lastProof = Gauge(label: "card_companion_vault_last_proof_timestamp_seconds")

    func opened() { isOpen.record(1) }

    func closed() { isOpen.record(0) }

    func proved(at now: Timestamp) { lastProof.record(now.secondsWithFraction) }
}

extension Timestamp {
    /// Unix seconds, as Prometheus has times.
    var secondsWithFraction: Double { Double(microseconds) / 1_000_000 }
}
