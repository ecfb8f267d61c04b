internal import Foundation

/// A time in seconds. Changes of the device's clock do not move it, and it goes on while the device sleeps.
/// (`ContinuousClock` needs iOS 16.)
struct MonotonicTime: Comparable, Sendable {
    var seconds: Double

    static var now: MonotonicTime {
        #if canImport(Darwin)
            let clock = CLOCK_MONOTONIC
        #else
            let clock = CLOCK_BOOTTIME
        #endif
        var time = timespec()
        clock_gettime(clock, &time)
        return MonotonicTime(seconds: Double(time.tv_sec) + Double(time.tv_nsec) / 1e9)
    }

    static func < (left: MonotonicTime, right: MonotonicTime) -> Bool { left.seconds < right.seconds }

    static func + (time: MonotonicTime, seconds: Double) -> MonotonicTime {
        MonotonicTime(seconds: time.seconds + seconds)
    }
}
