internal import Cryptography
internal import SecureMemory

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
