import Cryptography
import EMRTD
import EMRTDSimulation
import Foundation
import Testing

@Suite("Data groups")
struct DataGroupTests {
    private static let read: [String: @Sendable (Octets) throws -> Void] = [
        "com": { _ = try CommonData($0) }, "dg1": { _ = try MachineReadableZone(dg1: $0) },
        "dg2": { _ = try FaceImages($0) }, "dg7": { _ = try SignatureImages($0) },
        "dg11": { _ = try AdditionalPersonalDetails($0) }, "dg12": { _ = try AdditionalDocumentDetails($0) },
        "dg14": { _ = try SecurityInfos($0) }, "dg15": { _ = try ActiveAuthentication(dg15: $0, infos: nil) },
        "sod": { _ = try SecurityObject($0) },
    ]

    @Test("Malformed files are refused")
    func refused() throws {
        struct File: Decodable {
            struct Case: Decodable { let kind: String; let hex: HexBytes; let why: String }
            struct Cases: Decodable { let cases: [Case] }
            let refuse: Cases
        }
        let cases = try TestData.json("lds/single/expected.json", File.self).refuse.cases
        #expect(cases.count == 17)
        for each in cases {
            let read = try #require(Self.read[each.kind])
            #expect(throws: FormatError.self, "\(each.kind): \(each.why)") { try read(each.hex.octets) }
        }
    }

    @Test("A file that is cut off is refused, and one with other bytes does no harm", arguments: try allFiles())
    func hostile(_ path: String) throws {
        let kind = path.split(separator: "/")[2].prefix { $0.isLetter || $0.isNumber }
        let read = try #require(Self.read[String(kind)], "\(kind)")
        let file = try TestData.octets(path)
        let step = max(1, file.count / 600)
        for count in stride(from: 0, to: file.count, by: step) {
            #expect(throws: FormatError.self, "\(count) bytes") { try read(file.prefix(count)) }
        }
        let bytes = file.bytes
        for place in stride(from: 0, to: min(bytes.count, 400), by: 1) {
            for value in [0x00, 0x7F, 0x80, 0x81, 0x84, 0xFF, bytes[place] &+ 1, bytes[place] &- 1] as [UInt8] {
                var changed = bytes
                changed[place] = value
                // Whether it is accepted depends on the place. It must only come back.
                _ = try? read(Octets(copying: changed))
            }
        }
        #expect(throws: FormatError.self) { try read(Octets(copying: bytes + [0])) }
    }

    private static func allFiles() throws -> [String] {
        try ["bsi2008", "etsi-prototype", "loes2006", "single", "tr03105-5", "utopia-ec", "utopia-rsapss"].flatMap {
            folder in
            try TestData.names(in: "lds/\(folder)", suffix: ".bin")
                .filter { !$0.hasPrefix("neg-") && !($0 == "dg15.bin" && folder == "bsi2008") }
                .map { "lds/\(folder)/\($0)" }
        }
    }

    @Test("EF.COM has its versions and data groups")
    func common() throws {
        let common = try CommonData(TestData.octets("lds/single/com-lds17.bin"))
        #expect(common.ldsVersion == "0107" && common.unicodeVersion == "040000")
        #expect(common.dataGroups == [1, 2, 3, 7, 11, 12, 14, 15])
        #expect(try CommonData(TestData.octets("lds/loes2006/com.bin")).dataGroups == [1, 2, 15])
    }

    @Test(
        "Images are taken out as they are, of both standards",
        arguments: [
            "bsi2008/dg2", "loes2006/dg2", "single/dg2-jpeg-text-image", "single/dg2-39794-5-all-fields",
            "single/dg2-39794-5-mandatory-fields", "single/dg7-jpeg-text-image",
        ])
    func images(_ path: String) throws {
        let parts = path.split(separator: "/").map(String.init)
        let expected = try TestData.json("lds/\(parts[0])/expected.json", ImageFolder.self).images[parts[1]]
        let file = try TestData.octets("lds/\(path).bin")
        let images = try parts[1].hasPrefix("dg7") ? SignatureImages(file).images : FaceImages(file).images
        let image = try #require(images.first)
        #expect(images.count == 1)
        #expect(image.format.rawValue == expected?.imageMime && image.bytes.count == expected?.imageLength)
        #expect(SHA256.hash(image.bytes) == expected?.imageSha256.bytes)
    }

    @Test("Details of the holder are those of Doc 9303-10 and of documents")
    func personalDetails() throws {
        let smith = try AdditionalPersonalDetails(TestData.octets("lds/single/dg11-doc9303-10-a5.bin"))
        #expect(smith.fullName?.primary.text == "SMITH" && smith.fullName?.secondary.map(\.text) == ["JOHN", "J"])
        #expect(smith.placeOfBirth.map(\.text) == ["ANYTOWN", "MN"])
        #expect(smith.permanentAddress.map(\.text) == ["123 MAPLE RD", "ANYTOWN", "MN"])
        #expect(smith.telephone?.text == "16125551212" && smith.profession?.text == "TRAVEL AGENT")
        for name in ["dg11-other-names", "dg11-other-names-a0-in-tag-list"] {
            let names = try AdditionalPersonalDetails(TestData.octets("lds/single/\(name).bin")).otherNames
            #expect(names.map(\.primary.text) == ["SMITH", "JOHN SMITH"] && names[0].secondary.map(\.text) == ["JOHN"])
        }
        let unwrapped = try AdditionalPersonalDetails(TestData.octets("lds/single/dg11-other-name-unwrapped.bin"))
        #expect(unwrapped.otherNames.map(\.primary.text) == ["SMITH"])
        let tester = try AdditionalPersonalDetails(TestData.octets("lds/single/dg11-birth-date.bin"))
        #expect(tester.fullDateOfBirth?.text == "19701201" && tester.placeOfBirth.map(\.text) == ["Northampton"])
    }

    @Test("Details of the document are read")
    func documentDetails() throws {
        let one = try AdditionalDocumentDetails(TestData.octets("lds/single/dg12-personalisation.bin"))
        #expect(one.personalizationTime?.text == "20161115013612")
        #expect(one.personalizationSystemSerialNumber?.text == "N-4962")
        let other = try AdditionalDocumentDetails(TestData.octets("lds/single/dg12-authority-date.bin"))
        #expect(other.issuingAuthority?.text == "TESTER" && other.dateOfIssue?.text == "20180326")
    }

    @Test("Single elements are read in ASCII and in BCD")
    func elements() throws {
        struct File: Decodable {
            struct Case: Decodable { let tag, value, expected: String }
            struct Cases: Decodable { let cases: [Case] }
            let elements: Cases
        }
        let cases = try TestData.json("lds/single/expected.json", File.self).elements.cases
        #expect(cases.count == 11)
        for each in cases {
            let (tag, value) = (try #require(Hex.decode(each.tag)), try #require(Hex.decode(each.value)))
            let body = [0x5C, UInt8(tag.count)] + tag + tag + [UInt8(value.count)] + value
            let isPersonal = ["5F2B", "5F10"].contains(each.tag)
            let file = Octets(copying: [isPersonal ? 0x6B : 0x6C, UInt8(body.count)] + body)
            let found: PersonalText?
            if isPersonal {
                let details = try AdditionalPersonalDetails(file)
                found = each.tag == "5F2B" ? details.fullDateOfBirth : details.personalNumber
            } else {
                let details = try AdditionalDocumentDetails(file)
                found =
                    [
                        "5F26": details.dateOfIssue, "5F55": details.personalizationTime,
                        "5F19": details.issuingAuthority,
                        "5F1B": details.endorsementsAndObservations, "5F1C": details.taxOrExitRequirements,
                        "5F56": details.personalizationSystemSerialNumber,
                    ][each.tag] ?? nil
            }
            #expect(found?.text == each.expected, "\(each.tag)")
        }
    }

    @Test("Text that is not UTF-8 is read as ISO 8859-1")
    func latin1() throws {
        let details = try AdditionalPersonalDetails(Octets(hex: "6B0D5C025F115F11065AFC72696368"))
        #expect(details.placeOfBirth.map(\.text) == ["Zürich"])
    }

    @Test("Lists and texts of details are bounded")
    func longDetails() throws {
        func place(_ text: String) throws -> [PersonalText] {
            let content = [0x5C, 0x02, 0x5F, 0x11] + DERWriter.element(0x5F11, Array(text.utf8))
            return try AdditionalPersonalDetails(Octets(copying: DERWriter.element(0x6B, content))).placeOfBirth
        }
        #expect(try place(String(repeating: "A<", count: 32)).count == 32)
        #expect(throws: FormatError.self) { try place(String(repeating: "A<", count: 33)) }
        #expect(try place(String(repeating: "<", count: 4095) + "A").map(\.text) == ["A"])
        for text in [String(repeating: "A", count: 4097), String(repeating: "<", count: 1 << 20)] {
            #expect(throws: FormatError.self) { try place(text) }
        }
    }

    @Test("A key for chip authentication has the identifier of its protocol if it says none itself")
    func keyIdentifierOfProtocol() throws {
        let (info, key) = try Self.securityInfos()
        let numbered = DERWriter.sequence(info, DERWriter.integer(1), DERWriter.integer(195))
        let found = try Self.offer([numbered, key])
        let offer = try #require(found)
        #expect(offer.keyIdentifier == [195] && offer.isNamed && offer.protocol.cipher == .aes128)
    }

    @Test("Triple DES is meant only if no protocol is named, also not one that is unknown")
    func unknownProtocol() throws {
        let (info, key) = try Self.securityInfos()
        #expect(try Self.offer([key])?.protocol.cipher == .tripleDES)
        // An unknown cipher.
        let unknown = DERWriter.objectIdentifier(ObjectIdentifier("0.4.0.127.0.7.2.2.3.2.9"))
        #expect(try Self.offer([DERWriter.sequence(unknown, DERWriter.integer(1)), key]) == nil)
        // Two keys, and one protocol of an unknown version without a number.
        let second = DERWriter.sequence(info, DERWriter.integer(2))
        let content = try TLVElement.all(in: Octets(copying: key))[0].content.bytes
        let keys = [1, 2].map { DERWriter.element(.sequence, content + DERWriter.integer($0)) }
        #expect(try Self.offer(keys + [second]) == nil)
    }

    /// The identifier of the protocol of a simulated document, and its key.
    private static func securityInfos() throws -> (protocol: [UInt8], key: [UInt8]) {
        let document = try Simulation.document.get()
        let file = Octets(copying: try #require(document.files[.dataGroup(14)]))
        let set = try TLVElement.all(in: TLVElement.all(in: file)[0].content)
        let elements = try TLVElement.all(in: set[0].content)
        let named = ChipAuthenticationProtocol(isDiffieHellman: false, cipher: .aes128).identifier
        let isKey: (TLVElement) -> Bool = { $0.content.bytes.starts(with: keyIdentifier) }
        let key = try #require(elements.first(where: isKey))
        return (DERWriter.objectIdentifier(named), key.encoded.bytes)
    }

    private static let keyIdentifier = DERWriter.objectIdentifier(ObjectIdentifier("0.4.0.127.0.7.2.2.1.2"))

    private static func offer(_ infos: [[UInt8]]) throws -> ChipAuthenticationOffer? {
        let file = DERWriter.element(FileName.dataGroup(14).tag, DERWriter.set(infos))
        return ChipAuthenticationOffer.strongest(in: try SecurityInfos(Octets(copying: file)))
    }

    @Test("Data group 14 has its keys and protocols")
    func securityInfos() throws {
        let sample = try SecurityInfos(TestData.octets("lds/single/dg14-dh-doc9303-sample.bin"))
        let offer = try #require(ChipAuthenticationOffer.strongest(in: sample))
        #expect(
            offer.protocol == ChipAuthenticationProtocol(isDiffieHellman: true, cipher: .tripleDES) && offer.isNamed)
        let two = try SecurityInfos(TestData.octets("lds/single/dg14-two-pace-one-ca.bin"))
        #expect(ChipAuthenticationOffer.strongest(in: two)?.protocol.cipher == .aes256)
        let utopia = try SecurityInfos(TestData.octets("lds/utopia-ec/dg14.bin"))
        #expect(utopia.activeAuthenticationHash == .sha256)
    }

    @Test("A protocol of version 2, and explicit parameters that are not a known curve's, give no key that can be used")
    func unusableKeys() throws {
        let utopia = try TestData.bytes("lds/utopia-ec/dg14.bin")
        let version = try #require(utopia.firstRange(of: [0x03, 0x02, 0x02, 0x02, 0x01, 0x01]))
        var second = utopia
        second[version.upperBound - 1] = 2
        #expect(try ChipAuthenticationOffer.strongest(in: SecurityInfos(Octets(copying: utopia))) != nil)
        #expect(try ChipAuthenticationOffer.strongest(in: SecurityInfos(Octets(copying: second))) == nil)

        struct Session: Decodable { let dg14: HexBytes }
        let austria = try TestData.json("chip-authentication/at-recorded.json", Session.self).dg14.bytes
        let known = try #require(NamedCurve.brainpoolP256r1.parameters)
        #expect(try ChipAuthenticationOffer.strongest(in: SecurityInfos(Octets(copying: austria))) != nil)
        for number in [known.prime, known.a, known.b, known.generator, known.order] {
            let place = try #require(austria.firstRange(of: number))
            var changed = austria
            changed[place.upperBound - 1] ^= 2
            #expect(try ChipAuthenticationOffer.strongest(in: SecurityInfos(Octets(copying: changed))) == nil)
        }
    }

    @Test("File names are those of document 003, and no others")
    func names() {
        for name in ["com", "sod"] + (1...16).map({ "dg\($0)" }) { #expect(FileName(name)?.description == name) }
        for name in ["", "dg", "dg0", "dg17", "dg01", "DG1", "dg1 ", "dg+1", "sod1", "cvca"] {
            #expect(FileName(name) == nil)
        }
    }
}

/// The images of a folder by the names of their files.
private struct ImageFolder: Decodable {
    struct Image: Decodable {
        let imageMime: String
        let imageLength: Int
        let imageSha256: HexBytes
    }

    let images: [String: Image]

    init(from decoder: any Decoder) throws {
        struct Entry: Decodable {
            struct Expected: Decodable { let images: [Image] }
            let expected: Expected
        }
        struct Key: CodingKey {
            let stringValue: String
            var intValue: Int? { nil }
            init(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }
        let files = try decoder.container(keyedBy: Key.self).nestedContainer(
            keyedBy: Key.self, forKey: Key(stringValue: "files"))
        var images: [String: Image] = [:]
        for key in files.allKeys where key.stringValue.hasPrefix("dg2") || key.stringValue.hasPrefix("dg7") {
            images[key.stringValue] = try files.decode(Entry.self, forKey: key).expected.images[0]
        }
        self.images = images
    }
}
