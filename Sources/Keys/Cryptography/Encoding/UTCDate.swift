/// A time as text for people, such as `2026-01-31 23:59:59 UTC`.
package struct UTCDate: CustomStringConvertible {
    private let unixSeconds: Int64

    package init(_ unixSeconds: Int64) {
        self.unixSeconds = unixSeconds
    }

    package var description: String {
        let second = Int((unixSeconds % 86_400 + 86_400) % 86_400)
        let (year, month, day) = CalendarDate.civil((Int(unixSeconds) - second) / 86_400)
        let date = [(year, 4), (month, 2), (day, 2)].map(Self.padded).joined(separator: "-")
        let time = [second / 3600, second / 60 % 60, second % 60].map { Self.padded($0, 2) }.joined(separator: ":")
        return "\(date) \(time) UTC"
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
