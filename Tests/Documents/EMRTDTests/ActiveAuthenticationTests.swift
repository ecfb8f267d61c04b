import Cryptography
import EMRTD
import Testing

@Suite("Active authentication")
struct ActiveAuthenticationTests {
    @Test(
        "Signatures of recorded and generated chips are valid or not as their files say",
        arguments: try TestData.names(in: "active-authentication", suffix: ".json").filter { !$0.hasPrefix("iso") })
    func files(_ name: String) throws {
        let file = try TestData.json("active-authentication/\(name)", SignatureFile.self)
        let infos = try file.dg14.map { try SecurityInfos($0.octets) }
        let authentication = try ActiveAuthentication(dg15: file.dg15.octets, infos: infos)
        #expect(!file.cases.isEmpty)
        for each in file.cases {
            let isValid = authentication.isValid(each.signature.bytes, challenge: each.challenge.bytes)
            #expect(isValid == (each.expected == "valid"), "\(each.name)")
        }
    }

    @Test("A valid signature is not valid for another challenge", arguments: try recordedFiles())
    func replay(_ name: String) throws {
        let file = try TestData.json("active-authentication/\(name)", SignatureFile.self)
        let authentication = try ActiveAuthentication(dg15: file.dg15.octets, infos: nil)
        let valid = file.cases.filter { $0.expected == "valid" }
        for one in valid {
            for other in valid where other.challenge != one.challenge {
                #expect(!authentication.isValid(one.signature.bytes, challenge: other.challenge.bytes))
            }
        }
    }

    private static func recordedFiles() throws -> [String] {
        try TestData.names(in: "active-authentication", suffix: "recorded.json")
    }

    @Test("Recovered message representatives are accepted or refused as ISO/IEC 9796-2 says")
    func representatives() throws {
        struct File: Decodable {
            struct Case: Decodable {
                let name: String
                let challenge: HexBytes?
                let F: HexBytes
                let expected: String
            }
            let cases: [Case]
        }
        let file = try TestData.json("active-authentication/iso9796-2-message-representatives.json", File.self)
        #expect(file.cases.count == 11)
        for each in file.cases {
            let challenge = each.challenge?.bytes ?? [UInt8](repeating: 0, count: 8)
            #expect(
                MessageRecovery.isValid(each.F.bytes, challenge: challenge) == (each.expected == "valid"),
                "\(each.name)")
        }
    }

    @Test("A signature of any length does no harm")
    func lengths() throws {
        for name in ["generated-rsa-2048-sha256.json", "generated-ecdsa-p256-sha256.json"] {
            let file = try TestData.json("active-authentication/\(name)", SignatureFile.self)
            let authentication = try ActiveAuthentication(dg15: file.dg15.octets, infos: nil)
            for count in [0, 1, 2, 63, 64, 65, 70, 255, 256, 257, 1024, 1025, 5000] {
                for byte: UInt8 in [0, 0x30, 0xFF] {
                    let signature = [UInt8](repeating: byte, count: count)
                    #expect(!authentication.isValid(signature, challenge: [1, 2, 3, 4, 5, 6, 7, 8]))
                }
            }
        }
    }

    @Test("Keys of DG15 that cannot be used are refused: too short, or with a negative modulus")
    func unusableKeys() throws {
        #expect(throws: FormatError.self) {
            try ActiveAuthentication(dg15: TestData.octets("lds/bsi2008/dg15.bin"), infos: nil)
        }
        let file = try TestData.octets("lds/etsi-prototype-changed/dg15.bin")
        // Its exponent is even.
        #expect(throws: FormatError.self) { try ActiveAuthentication(dg15: file, infos: nil) }
        #expect(throws: FormatError.self) { try ActiveAuthentication(dg15: Octets(hex: "6F00"), infos: nil) }
    }
}

private struct SignatureFile: Decodable {
    struct Case: Decodable {
        let name: String
        let challenge: HexBytes
        let signature: HexBytes
        let expected: String
    }

    let dg15: HexBytes
    let dg14: HexBytes?
    let cases: [Case]
}
