/// A time of ASN.1 as Unix seconds.
enum CalendarTime {
    /// Reads a UTCTime or GeneralizedTime in the form of DER: `YYMMDDHHMMSSZ` or `YYYYMMDDHHMMSSZ` (RFC 5280 section 4.1.2.5).
    static func unixSeconds(_ element: TLVElement) throws(FormatError) -> Int64 {
        guard element.tag == .utcTime || element.tag == .generalizedTime else {
            throw FormatError("there is tag \(element.tag) instead of a time")
        }
        let yearDigits = element.tag == .utcTime ? 2 : 4
        let text = element.content.bytes
        guard text.count == yearDigits + 11, text.last == UInt8(ascii: "Z"),
            let year = number(text[..<yearDigits])
        else { throw FormatError("a time does not have the form YYMMDDHHMMSSZ or YYYYMMDDHHMMSSZ") }
        let parts = stride(from: yearDigits, to: text.count - 1, by: 2).map { number(text[$0..<$0 + 2]) ?? 99 }
        let fullYear = element.tag == .generalizedTime ? year : year < 50 ? 2000 + year : 1900 + year
        guard let days = CalendarDate(year: fullYear, month: parts[0], day: parts[1])?.daysSince1970,
            parts[2] < 24, parts[3] < 60, parts[4] <= 60
        else { throw FormatError("a time does not exist") }
        return Int64(days * 86_400 + parts[2] * 3600 + parts[3] * 60 + parts[4])
    }

    /// The number that ASCII digits make.
    static func number(_ digits: some Collection<UInt8>) -> Int? {
        guard !digits.isEmpty, digits.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }
}

/// A day of the Gregorian calendar.
package struct CalendarDate: Hashable, Comparable, Sendable {
    package let year: Int
    package let month: Int
    package let day: Int

    /// Nil if there is no such day.
    package init?(year: Int, month: Int, day: Int) {
        let isLeap = year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
        let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        guard 1...12 ~= month, 1...lengths[month - 1] ~= day, 1...9999 ~= year else { return nil }
        self.year = year
        self.month = month
        self.day = day
    }

    /// The day of a time in UTC. Nil before the year 1 and after 9999.
    package init?(unixSeconds: Int64) {
        let days = Int(unixSeconds >= 0 ? unixSeconds / 86_400 : (unixSeconds - 86_399) / 86_400)
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        self.init(
            year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month: month,
            day: dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
    }

    /// The number of days since 1970-01-01. The calculation uses eras of 400 years that start on 1 March.
    package var daysSince1970: Int {
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = shiftedYear / 400
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    package static func < (one: CalendarDate, other: CalendarDate) -> Bool {
        one.daysSince1970 < other.daysSince1970
    }
}
