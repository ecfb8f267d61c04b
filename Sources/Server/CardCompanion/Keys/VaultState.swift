/// How the vault of a running server is. It is a pure state machine: ``VaultWatch`` does what it says.
struct VaultState {
    enum Phase: Equatable {
        /// The server has keys, and the vault is proved.
        case open
        /// The server still has keys, but the vault has not answered since this time.
        case failing(since: ContinuousClock.Instant)
        /// The server has no keys. It opens the vault as soon as that works.
        case closed
        /// The server has no keys, and a person must give a PIN.
        case awaitingPIN
    }

    /// What ``VaultWatch`` must do.
    enum Step: Equatable {
        /// Say that the vault failed.
        case alarm
        /// Take the keys away.
        case wipe
        /// Say that the vault is back.
        case allClear
    }

    private(set) var phase: Phase
    private let grace: Duration

    /// - Parameter grace: how long a server serves without the vault.
    init(_ phase: Phase, grace: Duration) {
        self.phase = phase
        self.grace = grace
    }

    var hasKeys: Bool {
        switch phase {
        case .open, .failing: true
        case .closed, .awaitingPIN: false
        }
    }

    /// The vault was proved, or it was opened.
    mutating func succeeded() -> [Step] {
        defer { phase = .open }
        return phase == .open ? [] : [.allClear]
    }

    /// The vault did not answer, or refused the PIN.
    mutating func failed(needsPIN: Bool, at now: ContinuousClock.Instant) -> [Step] {
        switch phase {
        case .open:
            guard grace > .zero else {
                phase = needsPIN ? .awaitingPIN : .closed
                return [.alarm, .wipe]
            }
            phase = .failing(since: now)
            return [.alarm]
        case .failing(let since):
            guard now - since >= grace else { return [] }
            phase = needsPIN ? .awaitingPIN : .closed
            return [.wipe]
        case .closed, .awaitingPIN:
            phase = needsPIN ? .awaitingPIN : .closed
            return []
        }
    }
}
