internal import CardCompanionModel

/// The `timestamp` of a request or token: Unix seconds in exactly ten decimal digits. The fixed length keeps the text under
/// an HMAC unambiguous.
struct RequestTimestamp: Sendable, Equatable {
    /// As it was sent and authenticated.
    let text: String
    /// Unix seconds.
    let seconds: Int64

    /// Takes a string or an integer of ten digits.
    init?(_ text: String?) {
        guard let text, text.utf8.count == 10, text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }), let seconds = Int64(text)
        else { return nil }
        self.text = text
        self.seconds = seconds
    }

    /// How many seconds it is behind (positive) or ahead of (negative) the server's clock.
    func lagSeconds(at now: Timestamp) -> Int64 {
        now.seconds - seconds
    }

    /// What is wrong with a malformed timestamp.
    static let form = "must be Unix seconds in ten decimal digits"

    /// Why a timestamp within the tolerance is refused all the same.
    static let fromBeforeRestore = "it is from before the database was restored: sign the request again"

    /// Tells the client how far its clock is off.
    func skew(at now: Timestamp) -> String {
        let lag = lagSeconds(at: now)
        let units = lag.magnitude == 1 ? "second" : "seconds"
        return "\(lag.magnitude) \(units) \(lag > 0 ? "behind" : "ahead of") the server's clock"
    }

    /// Until when an HMAC over it is refused a second time: the end of the largest time window that a bank can have.
    var hmacExpiry: Timestamp {
        Timestamp(seconds: seconds + Int64(BankSettings.timestampToleranceLimitSeconds) + ClockMargin.seconds)
    }

    /// Whether it is within the tolerance to either side of the server's clock.
    func isWithin(toleranceSeconds: Int, of now: Timestamp) -> Bool {
        lagSeconds(at: now).magnitude <= UInt64(toleranceSeconds)
    }
}
