internal import Cryptography
package import EMRTD
package import SecureMemory
internal import StrictJSON

/// Whose result it is. A result server must check all of it: anyone can give any validationId to a client without checks.
package struct ResultSubject: Sendable {
    package let bankId: String
    package let clientId: String
    /// Of the session.
    package let validationId: String
    /// What was expected of the document: `document`, `person`, or `none` if the client needs no check.
    package let expected: String
    /// When the document was verified, in seconds since 1970. Of two results of a check the later one counts, whichever comes first.
    package let verifiedAt: Int64

    package init(bankId: String, clientId: String, validationId: String, expected: String, verifiedAt: Int64) {
        self.bankId = bankId
        self.clientId = clientId
        self.validationId = validationId
        self.expected = expected
        self.verifiedAt = verifiedAt
    }
}

/// The result of a verification as the client and the result server get it: one JSON object.
package enum ResultJSON {
    /// The beginning of those entries of `errors` that say why the document did not pass.
    package static let refusalPrefix = "not passed: "

    /// - Parameters:
    ///   - subject: whose result it is.
    ///   - cause: why the session has failed; nil if it has not.
    ///   - files: all files as they were read; nil leaves them out.
    package static func text(
        of found: DocumentVerification, _ subject: ResultSubject, cause: String? = nil, files: [FileName: Octets]? = nil
    ) -> SharedSecret {
        SharedSecret(
            JSONWriter.object(capacity: 4096, in: .ordinary) { writer in
                writer.add("bankId", subject.bankId)
                writer.add("clientId", subject.clientId)
                writer.add("validationId", subject.validationId)
                writer.add("expected", subject.expected)
                writer.add("verifiedAt", subject.verifiedAt)
                if let object = found.securityObject { addSecurityObject(object, to: &writer) }
                if let zone = found.machineReadableZone { addZone(zone, to: &writer) }
                if let face = found.details.faceImages.first { writer.add("facePhoto", base64: face.bytes) }
                writer.add(
                    "signaturePhotos",
                    array: { images in
                        for image in found.details.signatureImages { images.add(base64: image.bytes) }
                    })
                if let person = found.details.person { addPerson(person, to: &writer) }
                if let document = found.details.document { addDocument(document, to: &writer) }
                addChecks(found, cause, to: &writer)
                if let files { addFiles(files, to: &writer) }
            })
    }

    private static func addSecurityObject(_ object: SecurityObject, to writer: inout JSONWriter) {
        writer.add(
            "sodInfo",
            object: { writer in
                writer.add("hashAlgorithm", Self.name(of: object.hashAlgorithm))
                writer.add(
                    "hashForDataGroup",
                    object: { writer in
                        for (number, hash) in object.hashes.sorted(by: { $0.key < $1.key }) {
                            writer.add("\(number)", base64: hash)
                        }
                    })
            })
    }

    private static func name(of algorithm: HashAlgorithm) -> String {
        switch algorithm {
        case .sha1: "SHA-1"
        case .sha224: "SHA-224"
        case .sha256: "SHA-256"
        case .sha384: "SHA-384"
        case .sha512: "SHA-512"
        }
    }

    private static func addZone(_ zone: MachineReadableZone, to writer: inout JSONWriter) {
        writer.add(
            "mrzInfo",
            object: { writer in
                writer.add("documentType", zone.format.rawValue)
                writer.add("documentCode", zone.documentCode)
                writer.add("issuingState", zone.issuingState)
                writer.add("primaryIdentifier", zone.name.primary)
                writer.add("secondaryIdentifier", zone.name.secondary)
                writer.add("nationality", zone.nationality)
                writer.add("documentNumber", zone.documentNumber)
                writer.add("dateOfBirth", zone.dateOfBirth)
                writer.add("dateOfExpiry", zone.dateOfExpiry)
                writer.add("gender", zone.sex)
                writer.add("optionalData1", zone.optionalData1)
                writer.add("optionalData2", zone.optionalData2)
            })
    }

    private static func addPerson(_ person: AdditionalPersonalDetails, to writer: inout JSONWriter) {
        writer.add(
            "additionalPersonalDetails",
            object: { writer in
                writer.add("fullNameOfHolder", name: person.fullName)
                writer.add("otherNames", names: person.otherNames)
                writer.add("personalNumber", person.personalNumber)
                writer.add("fullDateOfBirth", person.fullDateOfBirth)
                writer.add("placeOfBirth", joined: person.placeOfBirth.map(\.utf8))
                writer.add("permanentAddress", person.permanentAddress)
                writer.add("telephone", person.telephone)
                writer.add("profession", person.profession)
                writer.add("title", person.title)
                writer.add("personalSummary", person.personalSummary)
                writer.add("proofOfCitizenshipImage", image: person.proofOfCitizenship)
                writer.add("otherValidTravelDocumentNumbers", person.otherTravelDocumentNumbers)
                writer.add("custodyInformation", person.custodyInformation)
            })
    }

    private static func addDocument(_ document: AdditionalDocumentDetails, to writer: inout JSONWriter) {
        writer.add(
            "additionalDocumentDetails",
            object: { writer in
                writer.add("issuingAuthority", document.issuingAuthority)
                writer.add("dateOfIssue", document.dateOfIssue)
                writer.add("namesOfOtherPersons", joined: document.otherPersons.map { Octets($0.joined) })
                writer.add("endorsementsAndObservations", document.endorsementsAndObservations)
                writer.add("taxOrExitRequirements", document.taxOrExitRequirements)
                writer.add("imageOfFront", image: document.imageOfFront)
                writer.add("imageOfRear", image: document.imageOfRear)
                writer.add("dateAndTimeOfPersonalization", document.personalizationTime)
                writer.add("personalizationSystemSerialNumber", document.personalizationSystemSerialNumber)
            })
    }

    private static func addChecks(_ found: DocumentVerification, _ cause: String?, to writer: inout JSONWriter) {
        let passive = found.passiveAuthentication
        writer.add("passiveAuthentication", passive.succeeded)
        writer.add(
            "passiveAuthenticationDetails",
            object: { writer in
                writer.add("sodSignatureValid", passive.isSecurityObjectSignatureValid)
                writer.add("documentCertificateValid", passive.isDocumentCertificateValid)
                writer.add("dataGroupsChecked", numbers: passive.dataGroupsChecked)
                writer.add("dataGroupsWithValidHash", numbers: passive.dataGroupsWithValidHash)
                writer.add("allHashesValid", passive.areAllHashesValid)
                // Android needs the member.
                writer.add("error", passive.failure ?? "")
            })
        writer.add("activeAuthenticationResult", found.activeAuthentication.rawValue)
        writer.add("chipAuthenticationResult", found.chipAuthentication.rawValue)
        let ends = cause.map { ["the session has failed: \($0)"] } ?? []
        let errors = found.errors + ends + found.refusals.map { "\(refusalPrefix)\($0)" }
        writer.add("errors", array: { texts in for error in errors { texts.add(error) } })
    }

    private static func addFiles(_ files: [FileName: Octets], to writer: inout JSONWriter) {
        writer.add(
            "filesBinary",
            object: { writer in
                for (name, file) in files.sorted(by: { "\($0.key)" < "\($1.key)" }) {
                    writer.add("\(name)", base64: file)
                }
            })
    }
}

extension JSONWriter {
    /// Adds text about a person; leaves the member out if there is none.
    fileprivate mutating func add(_ name: String, _ text: PersonalText?) {
        if let text { add(name, utf8: text.utf8) }
    }

    fileprivate mutating func add(_ name: String, _ texts: [PersonalText]) {
        add(name, array: { elements in for text in texts { elements.add(utf8: text.utf8) } })
    }

    /// Adds texts as one, with commas; leaves the member out if there are none.
    fileprivate mutating func add(_ name: String, joined texts: [Octets]) {
        guard let first = texts.first else { return }
        var text = SecretBuffer(in: .ordinary)
        text.append(first)
        for part in texts.dropFirst() {
            text.append(", ")
            text.append(part)
        }
        add(name, utf8: text.finish())
    }

    fileprivate mutating func add(_ name: String, name person: PersonalName?) {
        if let person { add(name, utf8: person.joined) }
    }

    fileprivate mutating func add(_ name: String, names: [PersonalName]) {
        add(name, array: { elements in for person in names { elements.add(utf8: person.joined) } })
    }

    fileprivate mutating func add(_ name: String, image: DocumentImage?) {
        if let image { add(name, base64: image.bytes) }
    }

    fileprivate mutating func add(_ name: String, numbers: [Int]) {
        add(name, array: { elements in for number in numbers { elements.add(Int64(number)) } })
    }
}

extension PersonalName {
    /// Both parts with spaces between the names.
    fileprivate var joined: SecretBytes {
        var text = SecretBuffer(in: .ordinary)
        text.append(primary.utf8)
        for name in secondary {
            text.append(byte: UInt8(ascii: " "))
            text.append(name.utf8)
        }
        return text.finish()
    }
}
