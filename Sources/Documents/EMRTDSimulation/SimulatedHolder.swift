internal import EMRTD

/// A made-up person, and the machine readable zone of a passport.
package struct SimulatedHolder: Hashable, Sendable {
    /// As in an MRZ: `PRIMARY<<SECONDARY<NAMES`, at most 39 characters.
    package var name: String
    package var nationality: String
    /// `YYMMDD`.
    package var dateOfBirth: String
    package var sex: String
    /// At most nine characters.
    package var documentNumber: String
    /// `YYMMDD`.
    package var dateOfExpiry: String

    package init(
        name: String = "ERIKSSON<<ANNA<MARIA", nationality: String = "UTO", dateOfBirth: String = "740812",
        sex: String = "F", documentNumber: String = "L898902C3", dateOfExpiry: String = "341231"
    ) {
        self.name = name
        self.nationality = nationality
        self.dateOfBirth = dateOfBirth
        self.sex = sex
        self.documentNumber = documentNumber
        self.dateOfExpiry = dateOfExpiry
    }

    /// The two lines of a passport (Doc 9303-4 section 4.2) with right check digits.
    package func machineReadableZone(issuingState: String) -> [UInt8] {
        func field(_ text: String, _ count: Int) -> [UInt8] {
            Array(text.utf8.prefix(count))
                + [UInt8](repeating: UInt8(ascii: "<"), count: max(count - text.utf8.count, 0))
        }
        func checked(_ field: [UInt8]) -> [UInt8] { field + [CheckDigit.character(for: field)] }
        let number = checked(field(documentNumber, 9))
        let (birth, expiry) = (checked(field(dateOfBirth, 6)), checked(field(dateOfExpiry, 6)))
        let optional = checked(field("", 14))
        let first = field("P", 2) + field(issuingState, 3) + field(name, 39)
        let second = number + field(nationality, 3) + birth + field(sex, 1) + expiry + optional
        return first + second + [CheckDigit.character(for: number + birth + expiry + optional)]
    }
}
