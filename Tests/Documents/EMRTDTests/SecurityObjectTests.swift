import Cryptography
import EMRTD
import Foundation
import Testing

@Suite("Security objects")
struct SecurityObjectTests {
    /// The date of the data's index.
    static let now: Int64 = 1_795_219_200

    @Test("Both master lists have a valid signature under their roots, and all of their certificates can be used")
    func masterLists() throws {
        let german = try Lists.german
        let dutch = try Lists.dutch
        #expect(german.certificates.count == 588 && german.unusableCount == 0)
        #expect(dutch.certificates.count == 411 && dutch.unusableCount == 0)
        #expect(german.signingTime == 1_779_949_725)
        #expect(dutch.signingTime == 1_784_799_343)
    }

    @Test("A master list is refused under another root, if a bit was changed, or if its signer is for documents")
    func refusedMasterLists() throws {
        let list = try MasterList(TestData.octets("masterlists/\(Lists.germanFile)"))
        let dutchRoot = try SigningCertificate(TestData.octets("masterlists/NL_ROOT_CA.cer"))
        #expect(throws: MasterList.Refusal.signerNotUnderRoot) { try list.verify(root: dutchRoot) }
        var bytes = try TestData.bytes("masterlists/\(Lists.germanFile)")
        bytes[bytes.count / 2] ^= 1
        let changed = try MasterList(Octets(copying: bytes))
        let root = try SigningCertificate(TestData.octets("masterlists/DE_ROOT_CA_CSCA07.cer"))
        #expect(throws: MasterList.Refusal.invalidSignature) { try changed.verify(root: root) }
        // A security object is no master list.
        #expect(throws: FormatError.self) {
            _ = try MasterList(TestData.octets("sods/AT.bin").dropFirst(4))
        }
    }

    @Test("Every security object verifies or fails as its index says", arguments: try Index.entries())
    func publicObjects(_ entry: Index.Entry) throws {
        let file = try TestData.octets("sods/\(entry.file)")
        guard let object = try? SecurityObject(file) else {
            #expect(Index.refused.contains(entry.file))
            return
        }
        #expect(!Index.refused.contains(entry.file))
        #expect(object.hashAlgorithm.rawValue == entry.hashName)
        let hashes = try #require(entry.dataGroupHashes)
        #expect(object.hashes == Dictionary(uniqueKeysWithValues: hashes.map { (Int($0) ?? 0, $1.bytes) }))
        for (anchors, expected) in [
            (try Lists.germanAnchors, entry.expected.documentCertificateValidWithGermanMasterList),
            (try Lists.dutchAnchors, entry.expected.documentCertificateValidWithDutchMasterList),
        ] {
            let result = PassiveAuthentication.check(
                object, dataGroups: [:], issuingState: try Zones.state(of: entry.country), anchors: anchors,
                at: Self.now)
            #expect(result.isSecurityObjectSignatureValid == entry.expected.sodSignatureValid)
            // Nothing is said about the certificate of a signer who did not sign.
            #expect(result.isDocumentCertificateValid == (expected == true && entry.expected.sodSignatureValid))
            #expect(result.remarks.contains { $0.contains("SHA-1") } == (entry.dgHashAlgorithm == "sha1"))
        }
    }

    @Test("The Indonesian document is valid under the CSCA of its series, which no list has")
    func indonesia() throws {
        let names = try TestData.names(in: "sods/csca", suffix: ".cer")
        let anchors = TrustAnchors(try names.map { try SigningCertificate(TestData.octets("sods/csca/\($0)")) })
        let object = try SecurityObject(TestData.octets("sods/ID.bin"))
        let result = PassiveAuthentication.check(
            object, dataGroups: [:], issuingState: try Zones.state(of: "ID"), anchors: anchors, at: Self.now)
        #expect(names.count == 3 && result.isSecurityObjectSignatureValid && result.isDocumentCertificateValid)
    }

    @Test("Documents of Utopia pass or fail as their files say", arguments: ["utopia-ec", "utopia-rsapss"])
    func utopia(_ folder: String) throws {
        let file = try TestData.json("lds/\(folder)/expected.json", UtopiaFile.self)
        let anchors = TrustAnchors([try SigningCertificate(TestData.octets("lds/\(folder)/csca.cer"))])
        let numbers = try #require(file.passiveAuthenticationCases.first?.files).compactMap { FileName($0) }
        var groups: [Int: Octets] = [:]
        for case .dataGroup(let number) in numbers {
            groups[number] = try TestData.octets("lds/\(folder)/dg\(number).bin")
        }
        let zone = try MachineReadableZone(dg1: #require(groups[1]))
        for each in file.passiveAuthenticationCases {
            var given = groups
            var sod = "sod.bin"
            if each.name == "dg2-changed" {
                given[2] = try TestData.octets("lds/\(folder)/\(#require(each.file))")
            } else if let file = each.file ?? UtopiaFile.files[each.name] {
                sod = file
            }
            let object = try? SecurityObject(TestData.octets("lds/\(folder)/\(sod)"))
            let result = PassiveAuthentication.check(
                object, dataGroups: given, issuingState: zone.issuingState, anchors: anchors, at: Self.now)
            #expect(result.isSecurityObjectSignatureValid == each.expected.sodSignatureValid, "\(each.name)")
            #expect(result.isDocumentCertificateValid == each.expected.documentCertificateValid, "\(each.name)")
            if let expected = each.expected.allHashesValid {
                #expect(result.areAllHashesValid == expected, "\(each.name)")
            }
            if let expected = each.expected.dataGroupsWithValidHash {
                #expect(result.dataGroupsWithValidHash == expected, "\(each.name)")
            }
            if let missing = each.expected.dataGroupNotCovered {
                #expect(!result.dataGroupsWithValidHash.contains(missing), "\(each.name)")
            }
            #expect(result.succeeded == (each.expected.passiveAuthentication ?? false), "\(each.name)")
        }
    }

    @Test("A security object does not verify if a bit of it was changed", arguments: ["AT", "NZ", "MY"])
    func changedBits(_ country: String) throws {
        let bytes = try TestData.bytes("sods/\(country).bin")
        let anchors = try Lists.germanAnchors
        for place in stride(from: 3, to: bytes.count, by: 7) {
            var changed = bytes
            changed[place] ^= 0x10
            guard let object = try? SecurityObject(Octets(copying: changed)) else { continue }
            let result = PassiveAuthentication.check(
                object, dataGroups: [:], issuingState: nil, anchors: anchors, at: Self.now)
            let isSame = object.hashes == (try SecurityObject(Octets(copying: bytes)).hashes)
            // A change that nobody signed (such as the version) can go unnoticed, but never one of a hash.
            #expect(isSame || !result.isSecurityObjectSignatureValid, "byte \(place)")
        }
    }

    @Test("A security object that is cut off is refused", arguments: ["DE", "NZ", "RU"])
    func truncations(_ country: String) throws {
        let file = try TestData.octets("sods/\(country).bin")
        for count in 0..<file.count {
            #expect(throws: FormatError.self, "\(count) bytes") { _ = try SecurityObject(file.prefix(count)) }
        }
    }

    @Test("Sizes, elements of indefinite lengths, and parts of a content are bounded")
    func limits() throws {
        func refusal(_ file: [UInt8]) -> String? {
            do {
                _ = try SecurityObject(Octets(copying: file))
                return nil
            } catch {
                return "\(error)"
            }
        }
        let large = DERWriter.element(0x77, DERWriter.octetString([UInt8](repeating: 0, count: 65_536)))
        #expect(refusal(large) == "a security object has more than 65536 bytes")

        // A hundred elements with indefinite lengths, each with a hundred in it.
        let inner: [UInt8] = [0x30, 0x80] + [[UInt8]](repeating: [0x05, 0x00], count: 100).joined() + [0, 0]
        let outer: [UInt8] = [0x30, 0x80] + [[UInt8]](repeating: inner, count: 100).joined() + [0, 0]
        let many = "an indefinite length has no end, or there are more than 4096 elements in it"
        #expect(refusal(DERWriter.element(0x77, outer)) == many)

        let parts = DERWriter.element(.constructedOctetString, [[UInt8]](repeating: [0x04, 0x00], count: 5000))
        let content = DERWriter.sequence(
            DERWriter.objectIdentifier(ObjectIdentifier("2.23.136.1.1.1")), DERWriter.element(.context(0), parts))
        let body = DERWriter.sequence(DERWriter.integer(3), DERWriter.set([]), content, DERWriter.set([]))
        let message = DERWriter.sequence(
            DERWriter.objectIdentifier(ObjectIdentifier("1.2.840.113549.1.7.2")),
            DERWriter.element(.context(0), body))
        #expect(refusal(DERWriter.element(0x77, message)) == "there are more than 4096 elements")
    }

    @Test("The signer's country must fit the issuing state")
    func countries() throws {
        let object = try SecurityObject(TestData.octets("sods/DE.bin"))
        for (state, fits) in [("D<<", true), ("DEU", true), ("AUT", false), ("UTO", false)] {
            let zone = try MachineReadableZone(Zones.passport(state: state))
            let result = PassiveAuthentication.check(
                object, dataGroups: [:], issuingState: zone.issuingState, anchors: try Lists.germanAnchors, at: Self.now
            )
            #expect(result.isDocumentCertificateValid == fits, "\(state)")
        }
    }
}

/// The verified lists. They are made once.
enum Lists {
    static let germanFile = "DE_ML_2026-05-28-08-28-45.ml"
    static let dutchFile = "NL_ML_2026-07-22.ml"

    static var german: MasterList.Verified { get throws { try loaded.get().german } }
    static var dutch: MasterList.Verified { get throws { try loaded.get().dutch } }
    static var germanAnchors: TrustAnchors { get throws { try loaded.get().germanAnchors } }
    static var dutchAnchors: TrustAnchors { get throws { try loaded.get().dutchAnchors } }

    private struct Loaded: Sendable {
        let german, dutch: MasterList.Verified
        let germanAnchors, dutchAnchors: TrustAnchors
    }

    private static let loaded: Result<Loaded, any Error> = Result {
        let german = try load(germanFile, "DE_ROOT_CA_CSCA07.cer")
        let dutch = try load(dutchFile, "NL_ROOT_CA.cer")
        return Loaded(
            german: german, dutch: dutch, germanAnchors: TrustAnchors(german.certificates),
            dutchAnchors: TrustAnchors(dutch.certificates))
    }

    private static func load(_ list: String, _ root: String) throws -> MasterList.Verified {
        let root = try SigningCertificate(TestData.octets("masterlists/\(root)"))
        return try MasterList(TestData.octets("masterlists/\(list)")).verify(root: root)
    }
}

enum Index {
    struct Entry: Decodable, Sendable, CustomTestStringConvertible {
        struct Expected: Decodable, Sendable {
            let sodSignatureValid: Bool
            let documentCertificateValidWithGermanMasterList: Bool?
            let documentCertificateValidWithDutchMasterList: Bool?
        }

        let file: String
        let dgHashAlgorithm: String?
        let dataGroupHashes: [String: HexBytes]?
        let expected: Expected

        /// ISO 3166-1. The specimens of the BSI and of ETSI are German.
        var country: String {
            let code = String((file.hasPrefix("neg-") ? file.dropFirst(4) : file[...]).prefix(2))
            return ["UK": "GB", "BS": "DE", "ET": "DE"][code] ?? code
        }
        var hashName: String? { dgHashAlgorithm.map { "SHA-" + $0.dropFirst(3) } }
        var testDescription: String { file }
    }

    /// Those that a strict reader refuses: no signed message, an unknown version of the LDS, a byte after the end.
    static let refused = ["neg-BSI-contentinfo-type.bin", "neg-BSI-lds-version-2.bin", "neg-BSI-trailing-byte.bin"]

    static func entries() throws -> [Entry] {
        struct File: Decodable { let entries: [Entry] }
        return try TestData.json("sods/index.json", File.self).entries
    }
}

private struct UtopiaFile: Decodable {
    struct Case: Decodable {
        struct Expected: Decodable {
            let sodSignatureValid, documentCertificateValid: Bool
            let allHashesValid, passiveAuthentication: Bool?
            let dataGroupsWithValidHash: [Int]?
            let dataGroupNotCovered: Int?
        }

        let name: String
        let file: String?
        let files: [String]?
        let expected: Expected
    }

    let passiveAuthenticationCases: [Case]

    static let files = [
        "signer named by subject key identifier": "sod-subject-key-identifier.bin",
        "issuer name in SignerInfo differs in letter case from the certificate": "sod-issuer-name-other-case.bin",
    ]
}

enum Zones {
    /// The issuing state in the documents of a country, as a zone has it.
    static func state(of country: String) throws -> PersonalText {
        try MachineReadableZone(passport(state: IssuingStates.states(of: country).first ?? "UTO")).issuingState
    }

    /// A passport of a made-up person with right check digits.
    static func passport(
        state: String = "UTO", name: String = "ERIKSSON<<ANNA<MARIA", number: String = "L898902C3",
        birth: String = "740812", expiry: String = "341231"
    ) -> Octets {
        func padded(_ text: String, _ count: Int) -> String {
            text + String(repeating: "<", count: max(count - text.count, 0))
        }
        func digit(_ text: String) -> String {
            String(Character(Unicode.Scalar(CheckDigit.character(for: Array(text.utf8)))))
        }
        let number = padded(number, 9)
        let optional = padded("", 14)
        let (state, code) = (padded(state, 3), "P<")
        let composite =
            number + digit(number) + birth + digit(birth) + expiry + digit(expiry) + optional + digit(optional)
        let second =
            number + digit(number) + state + birth + digit(birth) + "F" + expiry + digit(expiry) + optional
            + digit(optional) + digit(composite)
        return Octets(copying: Array((code + state + padded(name, 39) + second).utf8))
    }
}
