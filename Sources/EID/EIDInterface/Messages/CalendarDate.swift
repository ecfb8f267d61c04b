public import Foundation

/// A day, written yyyy-MM-dd.
public struct CalendarDate: Sendable, Equatable, Decodable {
    /// The day as it is written.
    public let text: String
    /// The beginning of the day in UTC.
    public let start: Date

    private static let calendar: Calendar = {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = TimeZone(secondsFromGMT: 0) ?? calendar.timeZone
        return calendar
    }()

    /// - Returns: nil if the text is not a calendar day in this form.
    public init?(_ text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard parts.map(\.count) == [4, 2, 2],
            parts.allSatisfy({ $0.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains) })
        else { return nil }
        let numbers = parts.compactMap { Int(Substring($0)) }
        guard numbers.count == 3 else { return nil }
        let components = DateComponents(year: numbers[0], month: numbers[1], day: numbers[2])
        guard components.isValidDate(in: Self.calendar), let start = Self.calendar.date(from: components) else {
            return nil
        }
        self.text = text
        self.start = start
    }

    /// Reads a JSON string. A text that is not a day is an error.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let date = CalendarDate(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "a date must be yyyy-MM-dd")
        }
        self = date
    }
}
