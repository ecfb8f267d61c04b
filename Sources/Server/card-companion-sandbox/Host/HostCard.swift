import SecureMemory

/// What the bank's host knows of a card: values of PINs, and no PIN.
struct HostCard: Sendable {
    /// The PVV of a defined PIN.
    struct Value: Sendable {
        /// The id of the event `pin.defined`.
        let event: String
        let pvv: SharedSecret
    }

    /// The call that gets the value of a defined PIN. A repetition must have the same body, byte for byte.
    struct Call: Sendable {
        let event: String
        let body: String
    }

    enum Step: Equatable {
        /// Terminals accept the PIN.
        case effective
        /// The host has the value, and does not use it yet.
        case sent
        /// The host needs the value.
        case ask
    }

    /// The value that terminals go by.
    var present: Value?
    /// The value that takes its place.
    var next: Value?
    /// What was sent to the server, maybe without an answer.
    var call: Call?

    /// Goes on with a defined PIN. The same PIN can come again at any time.
    ///
    /// - Parameter isSent: whether the server knows that the host has the value. A host in small does not wait for anything else, so
    ///   that one sees each state.
    mutating func goOn(with event: String, isSent: Bool) -> Step {
        if present?.event == event { return .effective }
        guard let next, next.event == event else { return .ask }
        guard isSent else { return .sent }
        (present, self.next) = (next, nil)
        return .effective
    }
}
