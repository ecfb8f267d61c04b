internal import Metrics

/// Counts exports of PINs, and what was refused. Somebody who tries to learn PINs by exports is refused often.
struct ExportMetrics: Sendable {
    private let counters: [String: Counter]

    init() {
        let outcomes = ["exported", "invalid"] + PINExportRefusal.words
        counters = Dictionary(
            uniqueKeysWithValues: outcomes.map { outcome in
                let label = outcome.replacing("-", with: "_")
                return (outcome, Counter(label: "card_companion_pin_exports_total", dimensions: [("outcome", label)]))
            })
    }

    func exported() { counters["exported"]?.increment() }

    /// What was asked for is wrong in form, or not what the key's rules allow.
    func refusedAsInvalid() { counters["invalid"]?.increment() }

    func refused(_ refusal: PINExportRefusal) { counters[refusal.word]?.increment() }
}
