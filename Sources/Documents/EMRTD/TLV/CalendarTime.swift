internal import Cryptography

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

    /// The numbers of so many ASCII digits each that a text consists of; nil if it is another text.
    static func numbers(_ text: Octets, _ counts: [Int]) -> [Int]? {
        guard text.count == counts.reduce(0, +) else { return nil }
        var (numbers, rest): ([Int], Octets) = ([], text)
        for count in counts {
            guard let number = rest.prefix(count).withBytes({ number($0) }) else { return nil }
            numbers.append(number)
            rest = rest.dropFirst(count)
        }
        return numbers
    }

    /// The number that ASCII digits make.
    static func number(_ digits: some Collection<UInt8>) -> Int? {
        guard !digits.isEmpty, digits.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }
}
