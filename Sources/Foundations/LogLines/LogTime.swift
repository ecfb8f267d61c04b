internal import Glibc

/// The time of a line: UTC, as RFC 3339 writes it, with microseconds.
struct LogTime: Equatable {
    let text: String

    /// - Parameter nanoseconds: the fraction of the second.
    init(unixSeconds: Int, nanoseconds: Int) {
        var seconds = time_t(unixSeconds)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        func digits(_ number: Int, _ count: Int) -> String {
            let text = String(number)
            return String(repeating: "0", count: max(0, count - text.count)) + text
        }
        let date = [
            digits(Int(parts.tm_year) + 1900, 4), digits(Int(parts.tm_mon) + 1, 2), digits(Int(parts.tm_mday), 2),
        ].joined(separator: "-")
        let time = [parts.tm_hour, parts.tm_min, parts.tm_sec].map { digits(Int($0), 2) }.joined(separator: ":")
        text = "\(date)T\(time).\(digits(nanoseconds / 1000, 6))Z"
    }

    static func now() -> LogTime {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return LogTime(unixSeconds: now.tv_sec, nanoseconds: now.tv_nsec)
    }
}
