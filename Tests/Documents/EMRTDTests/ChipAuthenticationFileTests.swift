import Cryptography
import EMRTD
import SecureMemory
import Testing

@Suite("Chip authentication: recorded and generated sessions")
struct ChipAuthenticationFileTests {
    @Test(
        "Every session is reproduced byte by byte",
        arguments: try TestData.names(in: "chip-authentication", suffix: ".json").filter { !$0.hasPrefix("bsi") })
    func sessions(_ name: String) throws {
        let session = try TestData.json("chip-authentication/\(name)", SessionFile.self)
        var authentication = try session.authentication()
        var step = authentication.start()
        for (index, recorded) in session.steps.enumerated() {
            guard case .send(let command) = step else {
                Issue.record("the session ended before \(recorded.name)")
                return
            }
            if recorded.name.contains("EF.DG14") {
                // The recorded sessions end with SELECT EF.DG14 and not EF.DG1, so that the new keys are compared instead.
                try session.checkNewKeys(recorded, command)
                #expect(index == session.steps.count - 1)
                return
            }
            #expect(command == recorded.command.bytes, "\(recorded.name)")
            step = authentication.receive(recorded.response.octets)
        }
        guard session.expected.result == "SUCCESS" else {
            // The clone: its answer under the new keys is refused, and EF.DG1 is read in the old channel.
            guard case .send = step, case .finished(let outcome) = authentication.receive(try Octets(hex: "6988"))
            else {
                Issue.record("a clone was not refused")
                return
            }
            #expect(outcome.result == .failed && outcome.handBack == nil)
            return
        }
        guard case .finished(let outcome) = step, let handBack = outcome.handBack else {
            Issue.record("the session did not end")
            return
        }
        #expect(outcome.result == .success && outcome.reason == nil)
        #expect(handBack.channel.keys.encryptionKey.bytes.revealed == session.expected.ksEnc.bytes)
        #expect(handBack.channel.keys.authenticationKey.bytes.revealed == session.expected.ksMac.bytes)
        #expect(handBack.channel.counter.bytes == session.expected.sscAfterLastResponse.bytes)
        #expect(handBack.dg1 == (try #require(session.expected.dg1)).bytes)
    }

    @Test("The secrets and keys of the worked examples of the BSI come out")
    func workedExamples() throws {
        let elliptic = try TestData.json(
            "chip-authentication/bsi-worked-example-ecdh-version2.json", WorkedExample.self)
        let curve = NamedCurve.brainpoolP256r1
        let chip = try ECPrivateKey(curve: curve, number: elliptic.chip.privateKey.bytes)
        let terminal = try ECPrivateKey(curve: curve, number: elliptic.terminal.privateKey.bytes)
        #expect(chip.publicKey.point == elliptic.chip.publicKey.bytes)
        #expect(terminal.publicKey.point == elliptic.terminal.publicKey.bytes)
        try elliptic.check(terminal.sharedSecret(with: chip.publicKey))

        let numbers = try TestData.json("chip-authentication/bsi-worked-example-dh-version2.json", WorkedExample.self)
        let parameters = try #require(numbers.domainParameters)
        let group = try DHGroup(
            prime: #require(parameters.p).bytes, generator: #require(parameters.g).bytes, privateBitCount: 160)
        let (ours, theirs) = (
            try DHPrivateKey(group: group, number: numbers.terminal.privateKey.bytes),
            try DHPrivateKey(group: group, number: numbers.chip.privateKey.bytes)
        )
        #expect(ours.publicKey.number == numbers.terminal.publicKey.bytes)
        try numbers.check(ours.sharedSecret(with: theirs.publicKey))
    }
}

private struct SessionFile: Decodable {
    struct Agreement: Decodable {
        let cipher: String
        let variant: String
    }

    struct TerminalKey: Decodable {
        let privateKey: HexBytes
    }

    struct Step: Decodable {
        let name: String
        let command, response: HexBytes
    }

    struct Expected: Decodable {
        let result: String
        let ksEnc, ksMac, sscAfterLastResponse: HexBytes
        let dg1: HexBytes?
    }

    let dg14: HexBytes
    let `protocol`: Agreement
    let initialSecureMessaging: RecordedChannel.Start
    let terminalEphemeralKey: TerminalKey
    let steps: [Step]
    let expected: Expected

    func authentication() throws -> ChipAuthentication {
        let number = terminalEphemeralKey.privateKey.bytes
        let keyPairs = TerminalKeyPairs(
            ellipticCurve: { (curve) throws(CryptographyError) in try ECPrivateKey(curve: curve, number: number) },
            diffieHellman: { (group) throws(CryptographyError) in try DHPrivateKey(group: group, number: number) })
        // Malaysia's chip was recorded with the other way of Triple DES.
        let isTemplate = `protocol`.cipher == "3DES" && `protocol`.variant.hasPrefix("MSE:Set AT")
        let limits = ChipAuthentication.Limits(
            commandByteCount: 1534, blockByteCount: 4096, allowsExtendedLength: true)
        return ChipAuthentication(
            try SecurityInfos(dg14.octets), channel: try initialSecureMessaging.channel(),
            limits: try #require(limits), keyPairs: keyPairs,
            tripleDESCommands: isTemplate ? [.authenticationTemplate] : [.keyAgreementTemplate])
    }

    /// The first command under the new keys is SELECT EF.DG1 here, and SELECT EF.DG14 in the recording.
    func checkNewKeys(_ recorded: Step, _ command: [UInt8]) throws {
        let algorithm = `protocol`.cipher == "3DES" ? "DESede" : "AES"
        let counter = try #require(
            Hex.decode(String(repeating: "00", count: algorithm == "AES" ? 16 : 8)))
        let keys = try RecordedChannel.Start(
            algorithm: algorithm, ksEnc: expected.ksEnc, ksMac: expected.ksMac, ssc: expected.ksMac
        ).channel().keys
        var channel = SecureChannel(keys: keys, counter: SendSequenceCounter(bytes: counter))
        var other = channel
        let select = CommandAPDU(instruction: 0xA4, p1: 2, p2: 0x0C, data: [0x01, 0x01])
        #expect(try channel.protect(select) == command)
        let recordedSelect = CommandAPDU(instruction: 0xA4, p1: 2, p2: 0x0C, data: [0x01, 0x0E])
        #expect(try other.protect(recordedSelect) == recorded.command.bytes)
        #expect(try other.unprotect(recorded.response.octets).status == .success)
        #expect(other.counter.bytes == expected.sscAfterLastResponse.bytes)
    }
}

private struct WorkedExample: Decodable {
    struct Pair: Decodable { let privateKey, publicKey: HexBytes }
    struct Group: Decodable { let p, g: HexBytes? }
    struct Expected: Decodable { let sharedSecret: HexBytes }
    struct Derived: Decodable {
        let version1KsEnc, version1KsMac: HexBytes
        let version1KsEnc3DES, version1KsMac3DES: HexBytes?
    }

    let chip, terminal: Pair
    let domainParameters: Group?
    let expected: Expected
    let derivedHere: Derived

    func check(_ secret: borrowing SecretBytes) throws {
        let bytes = secret.revealed
        #expect(bytes == expected.sharedSecret.bytes)
        #expect(KeyDerivation.key(of: bytes, counter: 1, .aes128).revealed == derivedHere.version1KsEnc.bytes)
        #expect(KeyDerivation.key(of: bytes, counter: 2, .aes128).revealed == derivedHere.version1KsMac.bytes)
        if let key = derivedHere.version1KsEnc3DES {
            #expect(KeyDerivation.key(of: bytes, counter: 1, .tripleDES).revealed == key.bytes)
        }
    }
}
