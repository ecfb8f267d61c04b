/// How many lines an import writes in one transaction, and how long it rests after it. If the database is slow, imports slow down
/// first: cardholders wait, and a bank's file does not.
struct ImportPace {
    static let lineLimits = 20...CardholderImport.batchLineLimit
    /// How long a transaction may take before there are fewer lines in the next one.
    static let soon = Duration.milliseconds(500)
    static let longestRest = Duration.seconds(2)

    private(set) var lines = lineLimits.upperBound

    /// A transaction has ended.
    ///
    /// - Returns: how long to rest before the next one.
    mutating func wrote(in duration: Duration) -> Duration {
        if duration > Self.soon {
            lines = max(lines / 2, Self.lineLimits.lowerBound)
        } else if duration < Self.soon / 2 {
            lines = min(lines * 2, Self.lineLimits.upperBound)
        }
        return min(max(duration - Self.soon, .zero), Self.longestRest)
    }
}
