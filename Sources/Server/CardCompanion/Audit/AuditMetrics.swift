internal import Metrics

struct AuditMetrics: Sendable {
    private let failures = Counter(label: "card_companion_audit_seal_failures_total")
    private let lateEntries = Counter(label: "card_companion_audit_late_entries_total")
    private let intact = Gauge(label: "card_companion_audit_trail_intact")
    private let original = Gauge(label: "card_companion_audit_database_original")

    func failed() { failures.increment() }

    func late(_ count: Int64) { lateEntries.increment(by: count) }

    func trailIsIntact(_ isIntact: Bool) { intact.record(isIntact ? 1 : 0) }

    func databaseIsOriginal(_ isOriginal: Bool) { original.record(isOriginal ? 1 : 0) }
}
