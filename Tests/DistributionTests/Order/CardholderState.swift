import ServerHarness

/// What is to be wrong with the cardholder of a request.
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

    /// What an import cannot do.
    func statements(_ bank: TestBank, _ cardholder: TestCardholder) -> [String] {
        var changes: [String] = []
        if isLocked { changes.append("authentication_failures = 3") }
        if !hasPIN { changes.append("pin_expires_at = now() - interval '1 minute'") }
        if isPINDamaged { changes.append("sealed_pin = sealed_pin || '\\x00'::bytea") }
        return changes.map { "UPDATE cardholder SET \($0) WHERE \(cardholder.row(bank));" }
    }
}
