import ServerHarness

/// The state of a request's cardholder, with faults.
struct CardholderState {
    var isUnknown = false
    var hasChannel = true
    var isActive = true
    var isLocked = false
    var hasPIN = true
    var isPINDamaged = false
    var code: Code = .right

    enum Code: String {
        case right = "Code4711"
        case wrong = "Code4712"
        case withoutForm = "Code-4711"
    }

    func cardholder(of channel: String) -> TestCardholder {
        TestCardholder(
            status: isActive ? "ACTIVE" : "SUSPENDED",
            channels: hasChannel ? [channel] : ["AC", "TOKEN"].filter { $0 != channel })
    }

    /// SQL for the parts of the state that an import cannot set.
    func statements(_ bank: TestBank, _ cardholder: TestCardholder) -> [String] {
        var changes: [String] = []
        if isLocked { changes.append("authentication_failures = 3") }
        if !hasPIN { changes.append("pin_expires_at = now() - interval '1 minute'") }
        if isPINDamaged { changes.append("sealed_pin = sealed_pin || '\\x00'::bytea") }
        return changes.map { "UPDATE cardholder SET \($0) WHERE \(cardholder.row(bank));" }
    }
}
