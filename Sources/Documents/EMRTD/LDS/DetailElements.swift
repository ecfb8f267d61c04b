internal import SecureMemory

/// The elements of DG11 or DG12 by their tags. Each can occur once. A list of other names is in a template (`A0`), or is one
/// element without a template.
struct DetailElements {
    private static let elementCountLimit = 64
    private static let listCountLimit = 32

    private let elements: [TLVTag: TLVElement]

    init(_ dataGroup: Int, of file: Octets) throws(FormatError) {
        var reader = try FileName.dataGroup(dataGroup).content(of: file)
        _ = try TLVReader.tagList(reader.read(0x5C).content)
        var elements: [TLVTag: TLVElement] = [:]
        for element in try reader.readAll(atMost: Self.elementCountLimit) {
            guard elements.updateValue(element, forKey: element.tag) == nil else {
                throw FormatError("tag \(element.tag) occurs twice")
            }
        }
        self.elements = elements
    }

    func text(_ tag: TLVTag) throws(FormatError) -> PersonalText? {
        guard let element = elements[tag] else { return nil }
        return try parsing("tag \(tag)") { () throws(FormatError) in try PersonalText(decoding: element.content) }
    }

    func list(_ tag: TLVTag) throws(FormatError) -> [PersonalText] {
        guard let element = elements[tag] else { return [] }
        return try parsing("tag \(tag)") { () throws(FormatError) in try PersonalText.list(decoding: element.content) }
    }

    func image(_ tag: TLVTag) throws(FormatError) -> DocumentImage? {
        guard let element = elements[tag] else { return nil }
        return try parsing("tag \(tag)") { () throws(FormatError) in try DocumentImage(element.content) }
    }

    /// A date or time of this many digits: ASCII, or two digits in a byte (BCD).
    func digits(_ tag: TLVTag, count: Int) throws(FormatError) -> PersonalText? {
        guard let content = elements[tag]?.content else { return nil }
        if content.count == count, content.withBytes({ CalendarTime.number($0) }) != nil {
            return PersonalText(utf8: content)
        }
        guard content.count * 2 == count, content.withBytes({ $0.allSatisfy { $0 >> 4 <= 9 && $0 & 0x0F <= 9 } }) else {
            throw FormatError("tag \(tag) is not \(count) digits in ASCII or BCD")
        }
        let text = content.withBytes { content in
            SecretBytes(count: count, in: .ordinary) { output in
                for (place, byte) in content.enumerated() {
                    output[place * 2] = UInt8(ascii: "0") + (byte >> 4)
                    output[place * 2 + 1] = UInt8(ascii: "0") + (byte & 0x0F)
                }
            }
        }
        return PersonalText(utf8: Octets(text))
    }

    func name(_ tag: TLVTag) throws(FormatError) -> PersonalName? {
        guard let element = elements[tag] else { return nil }
        return try parsing("tag \(tag)") { () throws(FormatError) in try PersonalName(decoding: element.content) }
    }

    func names(_ tag: TLVTag) throws(FormatError) -> [PersonalName] {
        guard let template = elements[0xA0] else { return try name(tag).map { [$0] } ?? [] }
        var reader = try template.reader()
        let count = try reader.readSmallInteger()
        let names = try reader.readAll(atMost: Self.listCountLimit)
        guard count >= 1, names.count == count, names.allSatisfy({ $0.tag == tag }) else {
            throw FormatError("the list of names has another count than it says, or other elements")
        }
        return try names.map { (name) throws(FormatError) in try PersonalName(decoding: name.content) }
    }
}

/// DG11: more about the holder (Doc 9303-10 section 4.7.11). All of it is personal.
package struct AdditionalPersonalDetails: Sendable {
    package let fullName: PersonalName?
    package let otherNames: [PersonalName]
    package let personalNumber: PersonalText?
    /// `YYYYMMDD`.
    package let fullDateOfBirth: PersonalText?
    package let placeOfBirth: [PersonalText]
    package let permanentAddress: [PersonalText]
    package let telephone: PersonalText?
    package let profession: PersonalText?
    package let title: PersonalText?
    package let personalSummary: PersonalText?
    package let proofOfCitizenship: DocumentImage?
    package let otherTravelDocumentNumbers: [PersonalText]
    package let custodyInformation: PersonalText?

    package init(_ file: Octets) throws(FormatError) {
        let elements = try DetailElements(11, of: file)
        fullName = try elements.name(0x5F0E)
        otherNames = try elements.names(0x5F0F)
        personalNumber = try elements.text(0x5F10)
        fullDateOfBirth = try elements.digits(0x5F2B, count: 8)
        placeOfBirth = try elements.list(0x5F11)
        permanentAddress = try elements.list(0x5F42)
        telephone = try elements.text(0x5F12)
        profession = try elements.text(0x5F13)
        title = try elements.text(0x5F14)
        personalSummary = try elements.text(0x5F15)
        proofOfCitizenship = try elements.image(0x5F16)
        otherTravelDocumentNumbers = try elements.list(0x5F17)
        custodyInformation = try elements.text(0x5F18)
    }
}

/// DG12: more about the document (Doc 9303-10 section 4.7.12).
package struct AdditionalDocumentDetails: Sendable {
    package let issuingAuthority: PersonalText?
    /// `YYYYMMDD`.
    package let dateOfIssue: PersonalText?
    package let otherPersons: [PersonalName]
    package let endorsementsAndObservations: PersonalText?
    package let taxOrExitRequirements: PersonalText?
    package let imageOfFront: DocumentImage?
    package let imageOfRear: DocumentImage?
    /// `YYYYMMDDHHMMSS`.
    package let personalizationTime: PersonalText?
    package let personalizationSystemSerialNumber: PersonalText?

    package init(_ file: Octets) throws(FormatError) {
        let elements = try DetailElements(12, of: file)
        issuingAuthority = try elements.text(0x5F19)
        dateOfIssue = try elements.digits(0x5F26, count: 8)
        otherPersons = try elements.names(0x5F1A)
        endorsementsAndObservations = try elements.text(0x5F1B)
        taxOrExitRequirements = try elements.text(0x5F1C)
        imageOfFront = try elements.image(0x5F1D)
        imageOfRear = try elements.image(0x5F1E)
        personalizationTime = try elements.digits(0x5F55, count: 14)
        personalizationSystemSerialNumber = try elements.text(0x5F56)
    }
}
