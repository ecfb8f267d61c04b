package import Cryptography

/// The machine readable zone of a document (Doc 9303-3 to -6), read strictly. Its parts are personal data.
package struct MachineReadableZone: Sendable {
    /// The size of a document, which says where the fields are.
    package enum Format: String, Sendable {
        /// A card: three lines of 30 (Doc 9303-5).
        case td1 = "TD1"
        /// Two lines of 36 (Doc 9303-6).
        case td2 = "TD2"
        /// A passport: two lines of 44 (Doc 9303-4).
        case td3 = "TD3"
    }

    /// Which check digits are right (Doc 9303-3 section 4.9).
    package struct CheckDigits: Hashable, Sendable {
        package let documentNumber: Bool
        package let dateOfBirth: Bool
        package let dateOfExpiry: Bool
        /// Nil if the format has none.
        package let optionalData: Bool?
        package let composite: Bool

        package var areAllRight: Bool {
            documentNumber && dateOfBirth && dateOfExpiry && (optionalData ?? true) && composite
        }
    }

    package let format: Format
    package let documentCode: PersonalText
    /// One to three letters.
    package let issuingState: PersonalText
    package let documentNumber: PersonalText
    package let nationality: PersonalText
    /// `YYMMDD`. Unknown parts are `<`.
    package let dateOfBirth: PersonalText
    /// `M`, `F`, or empty.
    package let sex: PersonalText
    /// `YYMMDD`.
    package let dateOfExpiry: PersonalText
    package let optionalData1: PersonalText
    /// Only cards have it.
    package let optionalData2: PersonalText?
    package let name: PersonalName
    package let checkDigits: CheckDigits

    /// The name field without the fillers at its end. Long names are cut off in it.
    let nameField: Octets
    /// The date as it is written, with fillers.
    let birthField: Octets

    /// Reads a zone without line ends: 90, 72 or 88 characters.
    ///
    /// - Throws: `FormatError` for another length, and for characters other than A to Z, 0 to 9 and `<`.
    package init(_ text: Octets) throws(FormatError) {
        let layout = try Layout(text)
        let fields = layout.fields(of: text)
        format = layout.format
        documentCode = try PersonalText(decoding: fields.documentCode)
        issuingState = try PersonalText(decoding: fields.issuingState)
        documentNumber = PersonalText(utf8: fields.documentNumber.value)
        nationality = try PersonalText(decoding: fields.nationality)
        birthField = fields.dateOfBirth
        dateOfBirth = PersonalText(utf8: fields.dateOfBirth)
        sex = try PersonalText(decoding: fields.sex)
        dateOfExpiry = PersonalText(utf8: fields.dateOfExpiry)
        optionalData1 = try PersonalText(decoding: fields.documentNumber.optionalDataAfter ?? fields.optionalData1)
        optionalData2 = try fields.optionalData2.map(PersonalText.init(decoding:))
        nameField = fields.name.trimmingEnd(of: UInt8(ascii: "<"))
        name = try PersonalName(decoding: nameField)
        checkDigits = layout.checkDigits(of: text, fields)
    }

    /// The day of expiry. The century is the one that makes it less than 50 years away from `today`. Nil if it is not a date.
    package func dayOfExpiry(near today: CalendarDate) -> CalendarDate? {
        guard let parts = CalendarTime.numbers(dateOfExpiry.utf8, [2, 2, 2]) else { return nil }
        let century = today.year / 100 * 100
        let year = [century - 100, century, century + 100].map { $0 + parts[0] }
            .min { abs($0 - today.year) < abs($1 - today.year) }
        return year.flatMap { CalendarDate(year: $0, month: parts[1], day: parts[2]) }
    }
}

/// Where the fields of a format are.
private struct Layout {
    let format: MachineReadableZone.Format

    /// A document number, which can continue in the optional data (Doc 9303-5 section 4.2.2.1).
    struct DocumentNumber {
        let value: Octets
        let checkDigit: UInt8
        /// The optional data that follow a number that continues there.
        let optionalDataAfter: Octets?
    }

    struct Fields {
        let documentCode, issuingState, nationality, dateOfBirth, sex, dateOfExpiry, optionalData1, name: Octets
        let optionalData2: Octets?
        let documentNumber: DocumentNumber
    }

    init(_ text: Octets) throws(FormatError) {
        switch text.count {
        case 90: format = .td1
        case 72: format = .td2
        case 88: format = .td3
        default: throw FormatError("a machine readable zone has \(text.count) characters instead of 90, 72 or 88")
        }
        guard text.withBytes({ $0.allSatisfy { CheckDigit.value(of: $0) != nil } }) else {
            throw FormatError("a machine readable zone has characters other than A to Z, 0 to 9 and <")
        }
    }

    func fields(of text: Octets) -> Fields {
        switch format {
        case .td1:
            let number = Self.documentNumber(text[5..<14], digit: text[14], optionalData: text[15..<30])
            return Fields(
                documentCode: text[0..<2], issuingState: text[2..<5], nationality: text[45..<48],
                dateOfBirth: text[30..<36], sex: text[37..<38], dateOfExpiry: text[38..<44],
                optionalData1: text[15..<30], name: text[60..<90], optionalData2: text[48..<59],
                documentNumber: number)
        case .td2:
            let number = Self.documentNumber(text[36..<45], digit: text[45], optionalData: text[64..<71])
            return Fields(
                documentCode: text[0..<2], issuingState: text[2..<5], nationality: text[46..<49],
                dateOfBirth: text[49..<55], sex: text[56..<57], dateOfExpiry: text[57..<63],
                optionalData1: text[64..<71], name: text[5..<36], optionalData2: nil, documentNumber: number)
        case .td3:
            let number = Self.trimmed(text[44..<53])
            return Fields(
                documentCode: text[0..<2], issuingState: text[2..<5], nationality: text[54..<57],
                dateOfBirth: text[57..<63], sex: text[64..<65], dateOfExpiry: text[65..<71],
                optionalData1: text[72..<86], name: text[5..<44], optionalData2: nil,
                documentNumber: DocumentNumber(value: number, checkDigit: text[53], optionalDataAfter: nil))
        }
    }

    /// If a filler is in the place of the check digit, the number continues in the optional data until the next filler, and
    /// its check digit is its last character there.
    private static func documentNumber(_ field: Octets, digit: UInt8, optionalData: Octets) -> DocumentNumber {
        let more = optionalData.firstPlace(of: filler).map { optionalData.prefix($0) } ?? optionalData
        guard digit == filler, let last = more.last else {
            return DocumentNumber(value: trimmed(field), checkDigit: digit, optionalDataAfter: nil)
        }
        return DocumentNumber(
            value: Octets(joining: [trimmed(field), more.dropLast()]), checkDigit: last,
            optionalDataAfter: optionalData.dropFirst(more.count + 1))
    }

    private static let filler = UInt8(ascii: "<")

    private static func trimmed(_ field: Octets) -> Octets { field.trimmingEnd(of: filler) }

    func checkDigits(of text: Octets, _ fields: Fields) -> MachineReadableZone.CheckDigits {
        let (birth, expiry, composite): (Int, Int, (Int, [Range<Int>])) =
            switch format {
            case .td1: (36, 44, (59, [5..<30, 30..<37, 38..<45, 48..<59]))
            case .td2: (55, 63, (71, [36..<46, 49..<56, 57..<71]))
            case .td3: (63, 71, (87, [44..<54, 57..<64, 65..<87]))
            }
        let isOptionalDataRight: Bool? =
            format == .td3 ? CheckDigit.isRight(text[86], for: [fields.optionalData1], orFillerIfEmpty: true) : nil
        return MachineReadableZone.CheckDigits(
            documentNumber: CheckDigit.isRight(
                fields.documentNumber.checkDigit, for: [fields.documentNumber.value]),
            dateOfBirth: CheckDigit.isRight(text[birth], for: [fields.dateOfBirth]),
            dateOfExpiry: CheckDigit.isRight(text[expiry], for: [fields.dateOfExpiry]),
            optionalData: isOptionalDataRight,
            composite: CheckDigit.isRight(text[composite.0], for: composite.1.map { text[$0] }))
    }
}

/// The check digits of Doc 9303-3 section 4.9: a weighted sum modulo 10.
package enum CheckDigit {
    private static let weights = [7, 3, 1]

    /// The value of a character; nil for one that is not allowed.
    static func value(of character: UInt8) -> Int? {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(character - UInt8(ascii: "0"))
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): Int(character - UInt8(ascii: "A")) + 10
        case UInt8(ascii: "<"): 0
        default: nil
        }
    }

    /// The check digit of a field, as a character.
    package static func character(for field: [UInt8]) -> UInt8 {
        let sum = field.enumerated().reduce(0) { $0 + (value(of: $1.element) ?? 0) * weights[$1.offset % 3] }
        return UInt8(ascii: "0") + UInt8(sum % 10)
    }

    /// - Parameter orFillerIfEmpty: whether a filler is right too if the field has only fillers.
    static func isRight(_ character: UInt8, for fields: [Octets], orFillerIfEmpty: Bool = false) -> Bool {
        var (sum, place, isEmpty) = (0, 0, true)
        for field in fields {
            field.withBytes { bytes in
                for byte in bytes {
                    sum += (value(of: byte) ?? 0) * weights[place % 3]
                    place += 1
                    isEmpty = isEmpty && byte == UInt8(ascii: "<")
                }
            }
        }
        if orFillerIfEmpty, isEmpty, character == UInt8(ascii: "<") { return true }
        return character == UInt8(ascii: "0") + UInt8(sum % 10)
    }
}
