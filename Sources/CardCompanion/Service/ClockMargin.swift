/// How far apart the clocks of two servers of one installation may be.
enum ClockMargin {
    /// How much longer than its own time a spent value is kept: a server whose clock is behind still takes it.
    static let seconds: Int64 = 60
}
