/// A bank's value that can be combined with other banks' values.
protocol BankValue {
    /// Whether it matters more than another one.
    func isMoreUrgent(than other: Self) -> Bool
    func joined(with other: Self) -> Self
}

/// Values of banks for a metric. There can be more banks than a metric may have series.
struct BankValues<Value: BankValue> {
    /// The name of the series for all banks beyond the limit.
    static var others: String { "other" }

    private let values: [(bank: String, value: Value)]

    init(_ values: [(String, Value)]) {
        self.values = values.map { (bank: $0, value: $1) }
    }

    /// The most urgent banks by name, and the values of the others combined.
    func bounded(by limit: Int) -> [(String, Value)] {
        let sorted = values.sorted { $0.value.isMoreUrgent(than: $1.value) }
        var bounded: [String: Value] = [:]
        for (index, (bank, value)) in sorted.enumerated() {
            // A bank can have this name too.
            let name = index < limit ? bank : Self.others
            bounded[name] = bounded[name].map { $0.joined(with: value) } ?? value
        }
        return bounded.map { ($0, $1) }
    }
}

/// What a bank has not received yet.
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
