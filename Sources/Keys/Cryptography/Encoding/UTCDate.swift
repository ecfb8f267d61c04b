/// A time as text for people, such as `2026-01-31 23:59:59 UTC`.
package struct UTCDate: CustomStringConvertible {
    private static let secondsPerDay: Int64 = 86_400

    let unixSeconds: Int64

    package init(_ unixSeconds: Int64) {
        self.unixSeconds = unixSeconds
    }

    package var description: String {
        let days = Int64((Double(unixSeconds) / Double(Self.secondsPerDay)).rounded(.down))
        let second = unixSeconds - days * Self.secondsPerDay
        let (year, month, day) = Self.civil(days)
        let date = [(year, 4), (month, 2), (day, 2)].map(Self.padded).joined(separator: "-")
        let time = [second / 3600, second / 60 % 60, second % 60].map { Self.padded($0, 2) }.joined(separator: ":")
        return "\(date) \(time) UTC"
    }

    private static func padded(_ number: Int64, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }

    /// The Gregorian date of a day number (0 is 1970-01-01). The calculation uses eras of 400 years that start on 1
    /// March.
    private static func civil(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
    }
}
