/// A value of a bank that can be joined with others'.
protocol BankValue {
    /// Whether it matters more than another one.
    func isMoreUrgent(than other: Self) -> Bool
    func joined(with other: Self) -> Self
}

/// Values of banks for a metric. There can be more banks than a metric may have series.
struct BankValues<Value: BankValue> {
    /// The name of what the banks beyond the limit have together.
    static var others: String { "other" }

    private let values: [(bank: String, value: Value)]

    init(_ values: [(String, Value)]) {
        self.values = values.map { (bank: $0, value: $1) }
    }

    /// The most urgent banks by name, and the others' values as one.
    func bounded(by limit: Int) -> [(String, Value)] {
        let sorted = values.sorted { $0.value.isMoreUrgent(than: $1.value) }
        var bounded: [String: Value] = [:]
        for (index, (bank, value)) in sorted.enumerated() {
            // A bank can have the name of the others.
            let name = index < limit ? bank : Self.others
            bounded[name] = bounded[name].map { $0.joined(with: value) } ?? value
        }
        return bounded.map { ($0, $1) }
    }
}

/// What a bank did not get yet.
struct BacklogValue: BankValue, Equatable {
    let pending: Int
    /// Zero if nothing waits.
    let oldestAgeSeconds: Double
    let parked: Int

    func isMoreUrgent(than other: BacklogValue) -> Bool { oldestAgeSeconds > other.oldestAgeSeconds }

    func joined(with other: BacklogValue) -> BacklogValue {
        BacklogValue(
            pending: pending + other.pending, oldestAgeSeconds: max(oldestAgeSeconds, other.oldestAgeSeconds),
            parked: parked + other.parked)
    }
}
