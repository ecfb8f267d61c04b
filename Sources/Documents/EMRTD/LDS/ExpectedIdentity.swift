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

    /// A document by its issuing state (one to three letters, Doc 9303-3 section 5) and its number.
    ///
    /// - Throws: `FormatError` if one has characters other than separators and those of an MRZ.
    package init(issuingState: Octets, documentNumber: Octets) throws(FormatError) {
        let state = try MRZText.state(issuingState)
        self.init("N", [state, try MRZText.documentNumber(documentNumber)])
    }

    /// A person by the whole name as it is in the MRZ (`PRIMARY<<SECONDARY<NAMES`, possibly with spaces for single fillers),
    /// and the date of birth (`YYMMDD`).
    ///
    /// - Throws: `FormatError` if the name has characters that Doc 9303-3 section 6 does not transliterate, or the date is
    ///   malformed.
    package init(nameInMRZ name: Octets, dateOfBirth: Octets) throws(FormatError) {
        self.init("P", [try MRZText.name(name), try MRZText.date(dateOfBirth)])
    }

    /// The two forms of the same zone: by number and by name.
    package static func forms(of zone: MachineReadableZone) -> [ExpectedIdentity] {
        let number = zone.documentNumber.utf8
        return [
            // A number can have a filler inside. A number of fillers alone matches nothing.
            ExpectedIdentity("N", [zone.issuingState.utf8, (try? MRZText.documentNumber(number)) ?? number]),
            ExpectedIdentity("P", [zone.nameField, zone.birthField]),
        ]
    }
}

/// Brings text into the characters of an MRZ: A to Z, 0 to 9 and `<` (Doc 9303-3 section 4.6 and 6).
package enum MRZText {
    private static let characterLimit = 200
    private static let filler = UInt8(ascii: "<")

    /// A document number: letters become upper case; spaces, hyphens and fillers are left out.
    static func documentNumber(_ text: Octets) throws(FormatError) -> Octets {
        let separators: Set = [UInt8(ascii: " "), UInt8(ascii: "-"), filler]
        let number = try map(text) { separators.contains($0) ? [] : letterOrDigit($0).map { [$0] } }
        guard !number.isEmpty else { throw FormatError("a document number is empty") }
        return number
    }

    /// A state: one to three letters.
    static func state(_ text: Octets) throws(FormatError) -> Octets {
        let state = try map(text.trimmingEnd(of: filler)) { isDigit($0) ? nil : letterOrDigit($0).map { [$0] } }
        guard 1...3 ~= state.count else { throw FormatError("a state has one to three letters") }
        return state
    }

    static func date(_ text: Octets) throws(FormatError) -> Octets {
        guard text.count == 6, text.withBytes({ $0.allSatisfy { isDigit($0) || $0 == filler } }) else {
            throw FormatError("a date of birth has the form YYMMDD")
        }
        return text
    }

    /// A name with `<<` between its two parts. Letters become upper case, spaces and hyphens become fillers, apostrophes and
    /// periods are left out. National characters are transliterated as ``NationalCharacters`` says.
    package static func name(_ text: Octets) throws(FormatError) -> Octets {
        var name = SecretBuffer(in: .ordinary)
        var count = 0
        let isUTF8 = try text.forEachScalar { (scalar) throws(FormatError) in
            count += 1
            guard count <= characterLimit, let characters = NationalCharacters.transliterated(scalar) else {
                throw FormatError(
                    "a name has a character that no machine readable zone can have, or more than \(characterLimit)")
            }
            for character in characters { name.append(byte: character) }
        }
        guard isUTF8 else { throw FormatError("a name is not UTF-8") }
        return Octets(name.finish()).trimmingEnd(of: filler)
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
