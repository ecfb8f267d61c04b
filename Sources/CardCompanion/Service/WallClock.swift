public import CardCompanionStore
internal import Glibc

/// Where the service learns what time it is.
public struct WallClock: Sendable {
    /// The time now.
    public let now: @Sendable () -> Timestamp

    /// A clock that asks `now`.
    public init(now: @escaping @Sendable () -> Timestamp) {
        self.now = now
    }

    /// The machine's clock.
    public static let system = WallClock {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)
    }
}
