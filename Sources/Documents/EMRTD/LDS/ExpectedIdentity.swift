internal import Cryptography
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
        let pairs = [day.year / 100, day.year % 100, day.month, day.day]
        return Octets(
            copying: pairs.flatMap { [UInt8(ascii: "0") + UInt8($0 / 10), UInt8(ascii: "0") + UInt8($0 % 10)] })
    }
}
