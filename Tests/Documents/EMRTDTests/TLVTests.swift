import Cryptography
import EMRTD
import Testing

@Suite("TLV")
struct TLVTests {
    @Test("Octets, personal text and documents do not print their content")
    func descriptions() throws {
        let zone = try MachineReadableZone(Zones.passport())
        var text = ""
        dump(zone, to: &text)
        print(zone, zone.name.primary, Octets(copying: Array("ERIKSSON".utf8)), to: &text)
        debugPrint(zone, to: &text)
        text += "\(zone) \(String(reflecting: zone.documentNumber))"
        #expect(!text.contains("ERIKSSON") && !text.contains("L898902C3") && !text.contains("740812"))
        #expect(!text.contains("69, 82, 73"))
    }

    @Test("Parts of octets are the parts of their bytes")
    func parts() {
        let octets = Octets(copying: [1, 2, 3, 4, 5])
        #expect(octets[1..<4] == [2, 3, 4] && octets[1..<4][1..<2] == [3])
        #expect(octets.prefix(9) == [1, 2, 3, 4, 5] && octets.dropFirst(9).isEmpty && octets.dropLast(2) == [1, 2, 3])
        #expect(octets.first == 1 && octets.last == 5 && octets.dropFirst(5).first == nil)
        #expect(Set([octets, octets.prefix(5), octets.prefix(4)]).count == 2)
    }

    @Test(
        "An object identifier is read as it is written",
        arguments: ["2.23.136.1.1.1", "0.4.0.127.0.7.2.2.3.2.4", "1.2.840.113549.1.1.11", "1.3.36.3.3.2.8.1.1.13"])
    func objectIdentifiers(_ text: String) throws {
        let known = [
            ObjectIdentifier("2.23.136.1.1.1"), ObjectIdentifier("0.4.0.127.0.7.2.2.3.2.4"),
            ObjectIdentifier("1.2.840.113549.1.1.11"), ObjectIdentifier("1.3.36.3.3.2.8.1.1.13"),
        ]
        #expect(known.contains { $0.description == text })
    }

    @Test("Elements with lengths that are cut off, too long or nested too deep are refused")
    func malformed() throws {
        for hex in [
            "02", "0203", "02030102", "0281", "028201", "0284FFFFFFFF", "02850000000001", "0280", "3080", "1F", "1F81",
            "1F818181", "00", "5F",
        ] {
            #expect(throws: FormatError.self, "\(hex)") { _ = try TLVElement.all(in: Octets(hex: hex)) }
        }
        var nested: [UInt8] = []
        for _ in 0..<200 { nested = DERWriter.sequence(nested) }
        // Nothing in a security object is that deep: an indefinite length must be followed to its end.
        let indefinite =
            [UInt8]([0x77]) + DER.length(4 * 200) + (0..<200).flatMap { _ in [0x30, 0x80] as [UInt8] }
            + (0..<200).flatMap { _ in [0, 0] as [UInt8] }
        #expect(throws: FormatError.self) { _ = try SecurityObject(Octets(copying: indefinite)) }
        #expect(throws: FormatError.self) {
            _ = try SecurityObject(Octets(copying: [0x77, 0x82, 0x03, 0x20] + nested))
        }
    }

    @Test("A day is written as a number and read again")
    func days() {
        for days in stride(from: -200_000, through: 200_000, by: 37) {
            let date = CalendarDate(unixSeconds: Int64(days) * 86_400 + 5)
            #expect(date?.daysSince1970 == days)
        }
        #expect(CalendarDate(unixSeconds: 951_782_400) == CalendarDate(year: 2000, month: 2, day: 29))
        #expect(
            CalendarDate(year: 2023, month: 2, day: 29) == nil && CalendarDate(year: 2100, month: 2, day: 29) == nil)
        #expect(
            CalendarDate(year: 2026, month: 13, day: 1) == nil && CalendarDate(year: 2026, month: 4, day: 31) == nil)
    }
}
