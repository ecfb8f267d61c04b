package import Cryptography
internal import SecureMemory

/// What a bank knows about the expected document or its holder, in the form of a machine readable zone. Compare
/// ``canonicalForm``, or a keyed digest of it.
package struct ExpectedIdentity: Sendable {
    /// ASCII: a letter for the kind, and fields that end with `;`, which no field has.
    package let canonicalForm: Octets

    private init(_ kind: String, _ fields: [Octets]) {
        let end = Octets(copying: Array(";".utf8))
        canonicalForm = Octets(joining: [Octets(copying: Array("\(kind);".utf8))] + fields.flatMap { [$0, end] })
    }

    /// A document by its issuing state and its number.
    ///
    /// - Parameter documentCode: the type of the document, where a state may use a number for documents of several types. One
    ///   letter fits every code that begins with it; nil fits every document.
    package init(issuingState: MRZText, documentNumber: MRZText, documentCode: MRZText? = nil) {
        let parts = [issuingState.characters, documentNumber.characters]
        self = documentCode.map { Self("T", [$0.characters] + parts) } ?? Self("N", parts)
    }

    /// A person by the whole name as it is in the MRZ, and the date of birth.
    package init(nameInMRZ name: MRZText, dateOfBirth: DateOfBirth) {
        switch dateOfBirth {
        case .inMRZ(let date): self.init("P", [name.characters, date.characters])
        case .day(let day): self.init("B", [name.characters, Self.digits(of: day)])
        }
    }

    /// All forms of one document: by number, and by name.
    ///
    /// - Parameters:
    ///   - person: data group 11, if the security object covers it. Its date of birth says the century. Without it, the century
    ///     is one that makes the holder 0 to 120 years old.
    ///   - hidesDate: whether the chip has a data group 11 that the app has not sent. Then a date of birth that can be of two
    ///     centuries is none: an app could choose the one that fits.
    ///   - unixSeconds: now.
    package static func forms(
        of zone: MachineReadableZone, _ person: AdditionalPersonalDetails?, hidesDate: Bool = false,
        at unixSeconds: Int64
    ) -> [ExpectedIdentity] {
        let number = zone.documentNumber.utf8
        // A number can have a filler inside. A number of fillers alone matches nothing.
        let document = [zone.issuingState.utf8, (try? MRZText.documentNumber(number))?.characters ?? number]
        let code = zone.documentCode.utf8
        let codes = code.count > 1 ? [code.prefix(1), code] : [code]
        let possible = CalendarDate(unixSeconds: unixSeconds).map { zone.possibleDaysOfBirth(on: $0) } ?? []
        let days = person?.dayOfBirth.map { [$0] } ?? (hidesDate && possible.count > 1 ? [] : possible)
        return [ExpectedIdentity("N", document)]
            + codes.map { ExpectedIdentity("T", [$0] + document) }
            + [ExpectedIdentity("P", [zone.nameField, zone.birthField])]
            + days.map { ExpectedIdentity("B", [zone.nameField, digits(of: $0)]) }
    }

    /// `YYYYMMDD`.
    private static func digits(of day: CalendarDate) -> Octets {
        let number = day.year * 10_000 + day.month * 100 + day.day
        let digits = stride(from: 7, through: 0, by: -1).map { place in
            UInt8(ascii: "0") + UInt8(number / (0..<place).reduce(1) { power, _ in power * 10 } % 10)
        }
        return Octets(copying: digits)
    }
}

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
        let hyphen = UInt8(ascii: "-")
        let parts = [text[0..<4], text[5..<7], text[8..<10]].map { $0.withBytes { CalendarTime.number($0) } }
        guard text[4] == hyphen, text[7] == hyphen, let year = parts[0], let month = parts[1], let day = parts[2] else {
            throw FormatError("a date of birth has the form YYYY-MM-DD or YYMMDD")
        }
        guard let date = CalendarDate(year: year, month: month, day: day) else {
            throw FormatError("there is no such day")
        }
        guard let tomorrow = CalendarDate(unixSeconds: unixSeconds + 86_400),
            let age = date.age(on: tomorrow), age <= Self.ageLimit
        else { throw FormatError("a date of birth must be in the last \(Self.ageLimit) years") }
        self = .day(date)
    }
}

extension CalendarDate {
    /// How old somebody is who was born on this day, in whole years; nil before that day.
    fileprivate func age(on day: CalendarDate) -> Int? {
        guard self <= day else { return nil }
        return day.year - year - ((day.month, day.day) < (month, self.day) ? 1 : 0)
    }
}

extension MachineReadableZone {
    /// The days that the date of birth can mean: the holder is 0 to 120 years old. None if a part of it is unknown.
    fileprivate func possibleDaysOfBirth(on today: CalendarDate) -> [CalendarDate] {
        birthField.withBytes { digits in
            guard let year = CalendarTime.number(digits.prefix(2)), let month = CalendarTime.number(digits[2..<4]),
                let day = CalendarTime.number(digits[4..<6])
            else { return [] }
            let century = today.year / 100 * 100
            return [century, century - 100, century - 200].compactMap {
                CalendarDate(year: $0 + year, month: month, day: day)
            }.filter { $0.age(on: today).map { $0 <= DateOfBirth.ageLimit } ?? false }
        }
    }
}

extension AdditionalPersonalDetails {
    /// Nil if the document does not say it, or not all of it.
    fileprivate var dayOfBirth: CalendarDate? {
        fullDateOfBirth.flatMap { date in
            date.utf8.withBytes { digits in
                guard let year = CalendarTime.number(digits.prefix(4)), let month = CalendarTime.number(digits[4..<6]),
                    let day = CalendarTime.number(digits[6..<8])
                else { return nil }
                return CalendarDate(year: year, month: month, day: day)
            }
        }
    }
}

/// Text in the characters of an MRZ: A to Z, 0 to 9 and `<` (Doc 9303-3 section 4.6 and 6).
package struct MRZText: Sendable {
    /// The longest name of an MRZ (Doc 9303-4), and the longest number: one that goes on in a card's optional data (Doc 9303-5).
    package static let (nameCharacterLimit, numberCharacterLimit) = (39, 23)
    /// The longest text that is read.
    private static let characterLimit = 200
    private static let filler = UInt8(ascii: "<")

    package let characters: Octets

    /// A document number: letters become upper case; spaces, hyphens and fillers are left out.
    ///
    /// - Throws: `FormatError` for other characters, for none, and for more than an MRZ can have.
    package static func documentNumber(_ text: Octets) throws(FormatError) -> MRZText {
        let separators: Set = [UInt8(ascii: " "), UInt8(ascii: "-"), filler]
        let number = try map(text) { separators.contains($0) ? [] : letterOrDigit($0).map { [$0] } }
        guard 1...numberCharacterLimit ~= number.count else {
            throw FormatError("a document number has 1 to \(numberCharacterLimit) letters and digits")
        }
        return MRZText(characters: number)
    }

    /// A state: one to three letters (Doc 9303-3 section 5).
    package static func state(_ text: Octets) throws(FormatError) -> MRZText {
        try letters(text, 1...3, "an issuing state has one to three letters")
    }

    /// The type of a document: one or two letters, as `P` for a passport.
    package static func documentCode(_ text: Octets) throws(FormatError) -> MRZText {
        try letters(text, 1...2, "a document code has one or two letters")
    }

    private static func letters(
        _ text: Octets, _ counts: ClosedRange<Int>, _ rule: String
    ) throws(FormatError) -> MRZText {
        let letters = text.trimmingEnd(of: filler)
        guard counts ~= letters.count, letters.withBytes({ $0.allSatisfy { !isDigit($0) && letterOrDigit($0) != nil } })
        else { throw FormatError(rule) }
        return MRZText(characters: try map(letters) { letterOrDigit($0).map { [$0] } })
    }

    /// A date `YYMMDD`. Parts can be unknown: fillers, or zeros as some states write them.
    static func date(_ text: Octets) throws(FormatError) -> MRZText {
        guard text.count == 6, text.withBytes({ $0.allSatisfy { isDigit($0) || $0 == filler } }) else {
            throw FormatError("a date of birth has the form YYYY-MM-DD or YYMMDD")
        }
        let numbers = [0..<2, 2..<4, 4..<6].map { part in text[part].withBytes { CalendarTime.number($0) } }
        // Of the years with these two digits, one is a leap year if any is.
        let years = numbers[0].map { year in [1900 + year, 2000 + year] } ?? [2000]
        let (month, day) = (numbers[1] ?? 0, numbers[2] ?? 0)
        guard years.contains(where: { CalendarDate(year: $0, month: max(month, 1), day: max(day, 1)) != nil }) else {
            throw FormatError("there is no such day")
        }
        return MRZText(characters: text)
    }

    /// A name with `<<` between its two parts, possibly with spaces for single fillers. Letters become upper case, spaces and
    /// hyphens become fillers, apostrophes and periods are left out. National characters are transliterated as
    /// ``NationalCharacters`` says.
    ///
    /// - Throws: `FormatError` for other characters, and for more than an MRZ can have.
    package static func name(_ text: Octets) throws(FormatError) -> MRZText {
        var name = SecretBuffer(in: .ordinary)
        var count = 0
        let isUTF8 = try text.forEachScalar { (scalar) throws(FormatError) in
            count += 1
            guard count <= characterLimit, let characters = NationalCharacters.transliterated(scalar) else {
                throw FormatError("a name has a character that no machine readable zone can have, or is too long")
            }
            for character in characters { name.append(byte: character) }
        }
        guard isUTF8 else { throw FormatError("a name is not UTF-8") }
        let characters = Octets(name.finish()).trimmingEnd(of: filler)
        guard 1...nameCharacterLimit ~= characters.count else {
            throw FormatError(
                "a name has 1 to \(nameCharacterLimit) characters: give it as the machine readable zone shortens it")
        }
        return MRZText(characters: characters)
    }

    private static func map(
        _ text: Octets, _ transform: (UInt8) -> [UInt8]?
    ) throws(FormatError) -> Octets {
        guard text.count <= characterLimit else {
            throw FormatError("there are more than \(characterLimit) characters")
        }
        var output = SecretBuffer(in: .ordinary)
        for place in 0..<text.count {
            guard let characters = transform(text[place]) else {
                throw FormatError("there are characters other than A to Z and 0 to 9")
            }
            for character in characters { output.append(byte: character) }
        }
        return Octets(output.finish())
    }

    static func letterOrDigit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"): byte - 32
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): byte
        default: nil
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte }
}
