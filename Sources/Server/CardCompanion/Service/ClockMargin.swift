/// How far apart the clocks of two servers of one installation may be.
package enum ClockMargin {
    /// A spent value is kept this much longer than its own time, because a server whose clock is behind still takes it. It is
    /// twice the most that ``ClockWatch`` can tolerate: one server can be ahead of the database and another one behind.
    package static let seconds: Int64 = 1200
}
