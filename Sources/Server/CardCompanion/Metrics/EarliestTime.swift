internal import CardCompanionModel

/// The earliest of the times at which something expires.
struct EarliestTime: BankValue, Equatable {
    let time: Timestamp

    init(_ time: Timestamp) {
        self.time = time
    }

    func isMoreUrgent(than other: EarliestTime) -> Bool { time < other.time }

    func joined(with other: EarliestTime) -> EarliestTime { EarliestTime(min(time, other.time)) }
}
