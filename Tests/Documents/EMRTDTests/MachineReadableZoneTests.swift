import Cryptography
import EMRTD
import Testing

@Suite("Machine readable zones")
struct MachineReadableZoneTests {
    @Test("Zones of each format have the expected fields and check digits", arguments: try ZoneFile.cases())
    func fields(_ each: ZoneFile.Case) throws {
        let text = Octets(copying: Array(each.mrz.utf8))
        guard let fields = each.fields else {
            #expect(throws: FormatError.self) { _ = try MachineReadableZone(text) }
            return
        }
        try expect(MachineReadableZone(text), fields)
    }

    @Test("Files with data group 1 have the expected fields", arguments: try ZoneFile.files())
    func files(_ file: ZoneFile.File) throws {
        let zone = try MachineReadableZone(dg1: TestData.octets(file.path))
        try expect(zone, file.fields)
        let content = try TestData.octets(file.path)
        for count in 0..<content.count {
            #expect(throws: FormatError.self) { _ = try MachineReadableZone(dg1: content.prefix(count)) }
        }
    }

    private func expect(_ zone: MachineReadableZone, _ fields: ZoneFile.Fields) throws {
        #expect(zone.format.rawValue == fields.format)
        #expect(zone.documentCode.text == fields.documentCode)
        #expect(zone.issuingState.text == fields.issuingState)
        #expect(zone.documentNumber.text == fields.documentNumber)
        #expect(zone.nationality.text == fields.nationality)
        #expect(zone.dateOfBirth.text == fields.dateOfBirth)
        #expect(zone.dateOfExpiry.text == fields.dateOfExpiry)
        #expect((zone.sex.text.isEmpty ? "<" : zone.sex.text) == fields.sex || zone.sex.text == fields.sex)
        #expect(zone.optionalData1.text == fields.optionalData1 ?? "")
        #expect(zone.optionalData2?.text == fields.optionalData2)
        #expect(zone.name.primary.text == fields.primaryIdentifier)
        #expect(zone.name.secondary.map(\.text) == fields.secondaryIdentifier.split(separator: " ").map(String.init))
        let digits = fields.checkDigitsValid
        #expect(zone.checkDigits.documentNumber == digits.documentNumber)
        #expect(zone.checkDigits.dateOfBirth == digits.dateOfBirth)
        #expect(zone.checkDigits.dateOfExpiry == digits.dateOfExpiry)
        #expect(zone.checkDigits.optionalData == digits.optionalData)
        #expect(zone.checkDigits.composite == digits.composite)
    }

    @Test("Zones of another length, and with other characters, are refused")
    func malformed() throws {
        let zone = Zones.passport()
        for count in [0, 1, 71, 73, 87, 89, 91] {
            let text = Octets(copying: [UInt8](repeating: UInt8(ascii: "<"), count: count))
            #expect(throws: FormatError.self) { _ = try MachineReadableZone(text) }
        }
        for character in [" ", "a", "-", "\n", "\u{0}"] {
            var bytes = zone.bytes
            bytes[7] = Array(character.utf8)[0]
            #expect(throws: FormatError.self, "\(character)") { _ = try MachineReadableZone(Octets(copying: bytes)) }
        }
    }

    @Test("A filler is the check digit of empty optional data only")
    func fillerAsCheckDigit() throws {
        var bytes = Zones.passport().bytes
        bytes[86] = UInt8(ascii: "<")
        // The composite check digit does not change: a filler counts as zero.
        #expect(try MachineReadableZone(Octets(copying: bytes)).checkDigits.areAllRight)
        bytes[53] = UInt8(ascii: "<")
        #expect(try !MachineReadableZone(Octets(copying: bytes)).checkDigits.documentNumber)
    }

    @Test("The day of expiry is in the century that is near")
    func expiry() throws {
        let today = try #require(CalendarDate(year: 2026, month: 11, day: 22))
        for (text, year) in [("341231", 2034), ("751231", 2075), ("761231", 1976), ("991231", 1999), ("260101", 2026)] {
            let zone = try MachineReadableZone(Zones.passport(expiry: text))
            #expect(zone.dayOfExpiry(near: today)?.year == year, "\(text)")
        }
        for text in ["<<<<<<", "340230", "341301", "34<<<<"] {
            let zone = try MachineReadableZone(Zones.passport(expiry: text))
            #expect(zone.dayOfExpiry(near: today) == nil, "\(text)")
        }
    }

    @Test("A document is recognised by its state and number however they are written")
    func expectedNumbers() throws {
        let forms = ExpectedIdentity.forms(
            of: try MachineReadableZone(Zones.passport(state: "D<<", number: "C11T002JM")), nil,
            at: Simulation.now)
        for (state, number) in [("D", "C11T002JM"), ("d", "c11t002jm"), ("D<<", "C11 T002-JM"), ("D", "C11T002JM<<")] {
            #expect(
                forms.contains { $0.canonicalForm == (try? Expected.document(state, number))?.canonicalForm },
                "\(state) \(number)")
        }
        for (state, number) in [("A", "C11T002JM"), ("D", "C11T002JN"), ("D", "C11T002J")] {
            #expect(!forms.contains { $0.canonicalForm == (try? Expected.document(state, number))?.canonicalForm })
        }
        for (state, number) in [
            ("", "C11T002JM"), ("D", ""), ("DEUT", "1"), ("D", "Ä1"), ("1", "1"), ("D", "1;2"),
            ("D", String(repeating: "1", count: 24)),
        ] {
            #expect(throws: FormatError.self, "\(state) \(number)") { _ = try Expected.document(state, number) }
        }
    }

    @Test("A document number with a filler in it is recognised")
    func fillerInNumber() throws {
        let forms = ExpectedIdentity.forms(
            of: try MachineReadableZone(Zones.passport(number: "AB<123")), nil, at: Simulation.now)
        for number in ["AB<123", "AB 123", "ab-123", "AB123"] {
            let expected = try Expected.document("UTO", number)
            #expect(forms.contains { $0.canonicalForm == expected.canonicalForm }, "\(number)")
        }
    }

    @Test(
        "A person is recognised by name and date of birth, with national characters as Doc 9303-3 transliterates them")
    func expectedNames() throws {
        let zone = try MachineReadableZone(Zones.passport(name: "MUELLER<LOEWE<<JEAN<LUC", birth: "740812"))
        let forms = ExpectedIdentity.forms(of: zone, nil, at: Simulation.now)
        for name in ["MUELLER<LOEWE<<JEAN<LUC", "Müller-Löwe<<Jean-Luc", "Mueller Loewe<<Jean Luc<<<"] {
            #expect(
                forms.contains {
                    $0.canonicalForm == (try? Expected.person(name, "740812", at: Simulation.now))?.canonicalForm
                }, "\(name)")
        }
        for (name, birth) in [("MULLER<LOEWE<<JEAN<LUC", "740812"), ("MUELLER<LOEWE<<JEAN<LUC", "740813")] {
            #expect(
                !forms.contains {
                    $0.canonicalForm == (try? Expected.person(name, birth, at: Simulation.now))?.canonicalForm
                })
        }
        #expect(
            try MRZText.name(Octets(copying: Array("O'Çelik-Ñandú<<Þór Ångström".utf8))).characters.text
                == "OCELIK<NANDU<<THOR<AANGSTROEM")
        for (name, birth) in [
            ("Иванов", "740812"), ("A;B", "740812"), ("A", "7408"), ("A", "74081X"), ("", "740812"),
            (String(repeating: "A", count: 40), "740812"), ("A", "741312"), ("A", "740832"), ("A", "750229"),
            ("A", "1965-02-30"), ("A", "1974-13-01"), ("A", "12.08.1974"), ("A", "1974/08/12"), ("A", "2026-12-01"),
            ("A", "1905-11-21"),
        ] {
            #expect(throws: FormatError.self, "\(name)") { _ = try Expected.person(name, birth, at: Simulation.now) }
        }
    }
}

enum ZoneFile {
    struct Digits: Decodable, Sendable {
        let documentNumber, dateOfBirth, dateOfExpiry, composite: Bool
        let optionalData: Bool?
    }

    struct Fields: Decodable, Sendable {
        let format, documentCode, issuingState, documentNumber, nationality, dateOfBirth, dateOfExpiry, sex: String
        let primaryIdentifier, secondaryIdentifier: String
        let optionalData1, optionalData2: String?
        let checkDigitsValid: Digits
    }

    struct Case: Decodable, Sendable, CustomTestStringConvertible {
        let mrz: String
        let fields: Fields?
        var testDescription: String { mrz }
    }

    struct File: Sendable, CustomTestStringConvertible {
        let path: String
        let fields: Fields
        var testDescription: String { path }
    }

    static func cases() throws -> [Case] {
        struct Cases: Decodable { let cases: [Case] }
        return try TestData.json("lds/mrz.json", Cases.self).cases
    }

    static func files() throws -> [File] {
        return try ["bsi2008", "etsi-prototype", "etsi-prototype-changed", "loes2006", "single", "tr03105-5"].flatMap {
            folder in
            let entries = try TestData.json("lds/\(folder)/expected.json", DG1Folder.self).files
            return entries.map { File(path: "lds/\(folder)/\($0.file)", fields: $0.fields) }
        }
    }

    /// The entries of a folder that are about data group 1.
    private struct DG1Folder: Decodable {
        let files: [(file: String, fields: Fields)]

        init(from decoder: any Decoder) throws {
            struct Entry: Decodable {
                struct Expected: Decodable { let fields: Fields }
                let file: String
                let expected: Expected
            }
            struct Key: CodingKey {
                let stringValue: String
                var intValue: Int? { nil }
                init(stringValue: String) { self.stringValue = stringValue }
                init?(intValue: Int) { nil }
            }
            let container = try decoder.container(keyedBy: Key.self)
                .nestedContainer(keyedBy: Key.self, forKey: Key(stringValue: "files"))
            files = try container.allKeys.filter { $0.stringValue == "dg1" || $0.stringValue.hasPrefix("dg1-") }.map {
                let entry = try container.decode(Entry.self, forKey: $0)
                return (entry.file, entry.expected.fields)
            }
        }
    }
}
