/// How many requests a server takes at once. It follows how soon they are answered, as TCP's congestion control does (additive
/// increase, multiplicative decrease): it grows while answers come soon, and shrinks when they do not. So the work that waits is
/// always about as much as can be done soon, whatever makes the database slow.
struct ConcurrencyLimit {
    typealias Instant = ContinuousClock.Instant

    /// An answer that takes longer says that there is more work than can be done soon.
    static let soon = Duration.milliseconds(150)
    static let most = 1_000
    /// Before anything is known, in times of the least.
    static let firstFactor = 6

    /// Per answer that came soon. As many answers as the limit come in the time of one, so it grows by an eighth in that time.
    private static let increase = 0.125
    /// What a late answer leaves of the limit at least.
    private static let decrease = 0.5

    private let least: Double
    private let most: Double
    private var limit: Double
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
        guard Double(inFlight) * 2 >= limit else { return }
        let time = now - begin
        if hasAnswer, time <= Self.soon {
            limit = min(limit + Self.increase, most)
        } else if shrunkAt.map({ now - $0 >= Self.soon }) ?? true {
            shrunkAt = now
            limit = max(
                min(limit, Double(inFlight)) * (hasAnswer ? max(Self.soon / time, Self.decrease) : Self.decrease), least
            )
        }
    }
}
