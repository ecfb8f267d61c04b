internal import Metrics

/// Counts values that came a second time. A few come from apps that try again, many from someone who has recorded requests.
struct ReplayMetrics: Sendable {
    private let tokens, hashMacs, nonces: Counter

    init() {
        func counter(_ kind: String) -> Counter {
            Counter(label: "card_companion_replays_refused_total", dimensions: [("kind", kind)])
        }
        tokens = counter("token")
        hashMacs = counter("hashmac")
        nonces = counter("nonce")
    }

    func refusedToken() { tokens.increment() }

    func refusedHashMac() { hashMacs.increment() }

    func refusedNonce() { nonces.increment() }
}

/// Counts cardholders that a request has locked.
struct LockoutMetrics: Sendable {
    private let wrongCodes, unconfirmedFetches: Counter

    init() {
        func counter(_ reason: String) -> Counter {
            Counter(label: "card_companion_lockouts_total", dimensions: [("reason", reason)])
        }
        wrongCodes = counter("wrong_codes")
        unconfirmedFetches = counter("unconfirmed_fetches")
    }

    func lockedByWrongCode() { wrongCodes.increment() }

    func lockedByUnconfirmedFetch() { unconfirmedFetches.increment() }
}
