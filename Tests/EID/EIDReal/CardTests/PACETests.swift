import Cryptography
import EMRTD
import SecureMemory
import Testing

@testable import VirtualEIDCard

/// The worked example of PACE with ECDH and generic mapping on brainpoolP256r1 (Doc 9303-11, appendix G.1).
private enum Example {
    static let machineReadableZone = "T22000129364081251010318"
    static let draws = PACE.Draws(
        nonce: hex("3F00C4D39D153F2B2A214A078D899B22"),
        mappingNumber: hex("498FF49756F2DC1587840041839A85982BE7761D14715FB091EFA7BCE9058560"),
        agreementNumber: hex("107CF58696EF6155053340FD633392BA81909DF7B9706F226F32086C7AFF974A"))
    /// What the terminal sends, and what the chip answers.
    static let steps = [
        ("7C00", "7C12801095A3A016522EE98D01E76CB6B98B42C3"),
        (
            "7C438141047ACF3EFC982EC45565A4B155129EFBC74650DCBFA6362D896FC70262E0C2CC5E544552DCB6725218799115B55C9BAA6D9F6BC3A9618E70C25AF71777A9C4922D",
            "7C43824104824FBA91C9CBE26BEF53A0EBE7342A3BF178CEA9F45DE0B70AA601651FBA3F5730D8C879AAA9C9F73991E61B58F4D52EB87A0A0C709A49DC63719363CCD13C54"
        ),
        (
            "7C438341042DB7A64C0355044EC9DF190514C625CBA2CEA48754887122F3A5EF0D5EDD301C3556F3B3B186DF10B857B58F6A7EB80F20BA5DC7BE1D43D9BF850149FBB36462",
            "7C438441049E880F842905B8B3181F7AF7CAA9F0EFB743847F44A306D2D28C1D9EC65DF6DB7764B22277A2EDDC3C265A9F018F9CB852E111B768B326904B59A0193776F094"
        ),
        ("7C0A8508C2B0BD78D94BA866", "7C0A86083ABB9674BCE93C08"),
    ]
    static let encryptionKey = "F5F0E35C0D7161EE6724EE513A0D9A7F"
    static let authenticationKey = "FE251C7858B356B24514B3BD5F4297D1"

    static func card() -> PACE {
        let password = HashAlgorithm.sha1.secretHash(Array(machineReadableZone.utf8)).withBytes { Array($0) }
        return PACE(password: password, draws: draws)
    }
}

/// The bytes of hexadecimal digits.
func hex(_ digits: String) -> [UInt8] { Hex.decode(digits) ?? [] }

@Suite("PACE on the virtual card")
struct PACETests {
    @Test("The worked example of Doc 9303-11 gives the same answers and keys")
    func workedExample() throws {
        var card = Example.card()
        for (command, expected) in Example.steps {
            switch try card.follow(hex(command)) {
            case .data(let answer): #expect(answer == hex(expected))
            case .done(let answer, let keys):
                #expect(answer == hex(expected))
                #expect(keys.encryptionKey.bytes.withBytes { Array($0) } == hex(Example.encryptionKey))
                #expect(keys.authenticationKey.bytes.withBytes { Array($0) } == hex(Example.authenticationKey))
                return
            case .wrongPassword: Issue.record("the password of the example is wrong")
            }
        }
        Issue.record("the example does not end")
    }

    @Test("Another token is a wrong password")
    func wrongToken() throws {
        var card = Example.card()
        for (command, _) in Example.steps.dropLast() { _ = try card.follow(hex(command)) }
        guard case .wrongPassword = try card.follow(hex("7C0A85080000000000000000")) else {
            Issue.record("the token was taken")
            return
        }
    }

    @Test(
        "A step of another form, or at another time, ends it",
        arguments: ["", "7C", "7D00", "7C028100", "7C0A8508C2B0BD78D94BA866", "7C438141"])
    func faults(_ command: String) throws {
        var card = Example.card()
        _ = try card.follow(hex("7C00"))
        #expect(throws: PACE.Fault.self) { try card.follow(hex(command)) }
        #expect(throws: PACE.Fault.self) { try card.follow(hex(Example.steps[1].0)) }
    }

    @Test("A point that is not on the curve is refused")
    func points() {
        #expect(throws: CurvePoint.Fault.self) { try CurvePoint([4] + [UInt8](repeating: 1, count: 64)) }
        #expect(throws: CurvePoint.Fault.self) { try CurvePoint([0]) }
    }
}
