public import CardCompanionStore

/// A value that an operator may not set, and why.
public struct InvalidSetting: Error, CustomStringConvertible {
    /// For the operator.
    public let description: String
}

extension BankSettings {
    /// Makes sure that every value is within the limits that the schema has too.
    ///
    /// - Throws: ``InvalidSetting`` for the first that is not.
    public func validate() throws(InvalidSetting) {
        try require(1...200 ~= name.unicodeScalars.count, "the name is to have 1 to 200 characters")
        try require(Identifier.isValid(programme), "the programme is to have 1 to 64 printable characters")
        let limits: [(name: String, value: Int, range: ClosedRange<Int>)] = [
            ("timestamp tolerance", timestampToleranceSeconds, 1...Self.timestampToleranceLimitSeconds),
            ("session lifetime", sessionLifetimeSeconds, 30...86_400),
            ("undelivered lifetime", undeliveredLifetimeDays, 1...3650),
            ("retry limit", retryLimit, 1...20),
            ("fetch limit", fetchLimit, 1...100),
            ("PIN's least length", pinMinimumLength, 4...12),
            ("PIN's greatest length", pinMaximumLength, 4...12),
            ("code's least length", codeMinimumLength, 4...64),
            ("code's greatest length", codeMaximumLength, 4...64),
            ("number of definitions a day", definitionsPerDay, 1...100),
            ("number of keypads a minute", keypadsPerMinute, 1...600),
            ("number of PINs on the bank's list", listedPINs.count, 0...10_000),
        ]
        for limit in limits {
            let range = "\(limit.range.lowerBound) to \(limit.range.upperBound)"
            try require(limit.range ~= limit.value, "the \(limit.name) is to be \(range), not \(limit.value)")
        }
        try require(pinMinimumLength <= pinMaximumLength, "the PIN's least length is above its greatest")
        try require(
            listedPINs.allSatisfy { 4...12 ~= $0.utf8.count && $0.utf8.allSatisfy { 0x30...0x39 ~= $0 } },
            "the bank's list of PINs is to hold 4 to 12 digits a line")
        try require(codeMinimumLength <= codeMaximumLength, "the code's least length is above its greatest")
    }

    private func require(_ holds: Bool, _ rule: String) throws(InvalidSetting) {
        guard holds else { throw InvalidSetting(description: rule) }
    }
}
