/// How far apart the clocks of two servers of one installation may be.
package enum ClockMargin {
    /// How much longer than its own time a spent value is kept: a server whose clock is behind still takes it. So it is
    /// also the most that ``ClockWatch`` can tolerate.
    package static let seconds: Int64 = 600
}
