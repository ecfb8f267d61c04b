internal import Glibc

/// The time of a line: UTC, as RFC 3339 writes it, with microseconds.
struct LogTime: Equatable {
    let text: String

    private static let byteCount = "2026-11-26T19:45:17.123456Z".utf8.count

    /// - Parameter nanoseconds: the fraction of the second.
    init(unixSeconds: Int, nanoseconds: Int) {
        var seconds = time_t(unixSeconds)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        var text: [UInt8] = []
        text.reserveCapacity(Self.byteCount)
        func write(_ number: Int, digits: Int, then end: Unicode.Scalar) {
            var unit = (1..<digits).reduce(1) { unit, _ in unit * 10 }
            while unit > 0 {
                text.append(UInt8(ascii: "0") + UInt8(number / unit % 10))
                unit /= 10
            }
            text.append(UInt8(ascii: end))
        }
        write(Int(parts.tm_year) + 1900, digits: 4, then: "-")
        write(Int(parts.tm_mon) + 1, digits: 2, then: "-")
        write(Int(parts.tm_mday), digits: 2, then: "T")
        write(Int(parts.tm_hour), digits: 2, then: ":")
        write(Int(parts.tm_min), digits: 2, then: ":")
        write(Int(parts.tm_sec), digits: 2, then: ".")
        write(nanoseconds / 1000, digits: 6, then: "Z")
        self.text = String(decoding: text, as: UTF8.self)
    }

    static func now() -> LogTime {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return LogTime(unixSeconds: now.tv_sec, nanoseconds: now.tv_nsec)
    }
}
