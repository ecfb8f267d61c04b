package import Cryptography

/// A person's date of birth as a bank knows it.
package enum DateOfBirth: Sendable {
    /// `YYMMDD`, with fillers for parts that are unknown.
    case inMRZ(MRZText)
    case day(CalendarDate)

    /// The oldest holder, in years.
    package static let ageLimit = 120

    /// Reads `YYYY-MM-DD` or `YYMMDD`.
    ///
    /// - Parameter unixSeconds: now. It can be tomorrow already where the holder was born.
    /// - Throws: `FormatError` if it has another form, is no day, or is not in the last 120 years.
    package init(_ text: Octets, at unixSeconds: Int64) throws(FormatError) {
        guard text.count == 10 else {
            self = .inMRZ(try MRZText.date(text))
            return
        }
        let digits = Octets(joining: [text[0..<4], text[5..<7], text[8..<10]])
        guard text[4] == UInt8(ascii: "-"), text[7] == text[4], CalendarTime.numbers(digits, [8]) != nil else {
            throw FormatError("a date of birth has the form YYYY-MM-DD or YYMMDD")
        }
        guard let date = CalendarDate(digits: digits) else { throw FormatError("there is no such day") }
        guard let tomorrow = CalendarDate(unixSeconds: unixSeconds + 86_400),
            let age = date.age(on: tomorrow), age <= Self.ageLimit
        else { throw FormatError("a date of birth must be in the last \(Self.ageLimit) years") }
        self = .day(date)
    }
}

extension CalendarDate {
    /// The day `YYYYMMDD`; nil if there is no such day, or if something else than digits is there.
    fileprivate init?(digits: Octets) {
        guard let parts = CalendarTime.numbers(digits, [4, 2, 2]) else { return nil }
        self.init(year: parts[0], month: parts[1], day: parts[2])
    }

    /// How old somebody is who was born on this day, in whole years; nil before that day.
    fileprivate func age(on day: CalendarDate) -> Int? {
        guard self <= day else { return nil }
        return day.year - year - ((day.month, day.day) < (month, self.day) ? 1 : 0)
    }
}

extension MachineReadableZone {
    /// The days that the date of birth can mean: the holder is 0 to 120 years old. None if a part of it is unknown.
    func possibleDaysOfBirth(on today: CalendarDate) -> [CalendarDate] {
        guard let parts = CalendarTime.numbers(birthField, [2, 2, 2]) else { return [] }
        let century = today.year / 100 * 100
        return [century, century - 100, century - 200].compactMap {
            CalendarDate(year: $0 + parts[0], month: parts[1], day: parts[2])
        }.filter { $0.age(on: today).map { $0 <= DateOfBirth.ageLimit } ?? false }
    }
}

extension AdditionalPersonalDetails {
    /// Nil if the document does not say it, or not all of it.
    var dayOfBirth: CalendarDate? { fullDateOfBirth.flatMap { CalendarDate(digits: $0.utf8) } }
}
