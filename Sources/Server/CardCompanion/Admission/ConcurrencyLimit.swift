/// How many requests a server takes at once. It follows how soon they are answered, as TCP's congestion control does (additive
/// increase, multiplicative decrease): it grows while answers come soon, and shrinks when they do not. So the work that waits is
/// always about as much as can be done soon, whatever makes the database slow.
struct ConcurrencyLimit {
    typealias Instant = ContinuousClock.Instant

    /// If answers take longer on average, there is more work than can be done soon.
    static let soon = Duration.milliseconds(150)
    static let most = 1_000
    /// Before anything is known, in times of the least.
    static let firstFactor = 6

    /// As long counts a request that the database did not answer in time.
    private static let longest = Duration.seconds(2)
    /// The share of the newest time in the average: a single slow answer does not shrink the limit.
    private static let weight = 0.125
    /// Per answer. As many answers as the limit come in the time of one, so it grows by an eighth in that time.
    private static let increase = 0.125
    /// What is left of the limit at least when it shrinks.
    private static let decrease = 0.5

    private let least: Double
    private let most: Double
    private var limit: Double
    private var average = Duration.zero
    private var shrunkAt: Instant?

    /// - Parameter least: so many are always taken.
    init(least: Int) {
        self.least = Double(least)
        most = Double(max(Self.most, least))
        limit = min(Double(least * Self.firstFactor), most)
    }

    /// How many requests are taken at once.
    var value: Int { Int(limit) }

    /// A request has ended.
    ///
    /// - Parameters:
    ///   - begin: when it was taken.
    ///   - hasAnswer: false if the database did not answer it in time.
    ///   - inFlight: how many there were at once, with this one. If few were, their time says nothing about the limit.
    mutating func ended(begunAt begin: Instant, hasAnswer: Bool, of inFlight: Int, at now: Instant) {
        let time = hasAnswer ? min(now - begin, Self.longest) : Self.longest
        average += (time - average) * Self.weight
        guard Double(inFlight) * 2 >= limit else { return }
        if average <= Self.soon {
            limit = min(limit + Self.increase, most)
        } else if shrunkAt.map({ now - $0 >= Self.soon }) ?? true {
            shrunkAt = now
            limit = max(min(limit, Double(inFlight)) * max(Self.soon / average, Self.decrease), least)
        }
    }
}
