import Cryptography
import EMRTD
import SecureMemory
import Testing

@testable import VirtualEIDCard

/// A terminal that knows a password, or believes so.
private struct Terminal {
    private var card: VirtualCard
    private var channel: SecureChannel?

    init(_ state: CardState) { card = VirtualCard(state) }

    /// Sends a command, protected if there is a channel.
    mutating func send(_ command: CommandAPDU) throws -> (data: [UInt8], status: UInt16) {
        guard var channel else {
            let answer = try ResponseAPDU(Octets(copying: card.respond(to: command.encoded)))
            return (answer.data.bytes, answer.status.rawValue)
        }
        let answer = try channel.unprotect(Octets(copying: card.respond(to: channel.protect(command))))
        self.channel = channel
        return (answer.data.bytes, answer.status.rawValue)
    }

    mutating func sendPlain(_ bytes: [UInt8]) -> [UInt8] { card.respond(to: bytes) }

    /// MSE:Set AT.
    mutating func choose(_ password: Password) throws -> UInt16 {
        let data =
            DERWriter.element(0x80, PACE.identifier.encoded) + DERWriter.element(0x83, [password.rawValue])
        return try send(CommandAPDU(instruction: 0x22, p1: 0xC1, p2: 0xA4, data: data)).status
    }

    /// The terminal's part of PACE (Doc 9303-11 section 4.4).
    ///
    /// - Returns: the last status.
    mutating func authenticate(_ password: Password, _ digits: String) throws -> UInt16 {
        _ = try choose(password)
        let first = try step(isLast: false, [])
        guard first.status == 0x9000 else { return first.status }
        let key = KeyDerivation.key(of: Array(digits.utf8), counter: 3, .aes128)
        let nonce = try BlockCipher(.aes, key: key).decryptBlocks(first.value).withBytes { Array($0) }
        let (mapping, agreement) = (SecureRandom.bytes(count: 31), SecureRandom.bytes(count: 31))
        let mapped = try step(isLast: false, DERWriter.element(0x81, CurvePoint.generator(times: mapping).encoded))
        let generator = try CurvePoint.generator(times: nonce) + CurvePoint(mapped.value).times(mapping)
        let own = try generator.times(agreement)
        let agreed = try step(isLast: false, DERWriter.element(0x83, own.encoded))
        let other = try CurvePoint(agreed.value)
        let keys = try SessionKeys(.aes128, secret: other.times(agreement).x)
        let last = try step(isLast: true, DERWriter.element(0x85, Self.token(keys, other)))
        guard last.status == 0x9000 else { return last.status }
        #expect(try last.value == Self.token(keys, own))
        channel = SecureChannel(keys: keys)
        return last.status
    }

    private mutating func step(isLast: Bool, _ element: [UInt8]) throws -> (value: [UInt8], status: UInt16) {
        let answer = try send(
            CommandAPDU(
                instructionClass: isLast ? 0 : 0x10, instruction: 0x86, p1: 0, p2: 0,
                data: DERWriter.element(0x7C, element), expectedCount: 256))
        guard answer.status == 0x9000 else { return ([], answer.status) }
        let outer = try #require(try TLVElement.all(in: Octets(copying: answer.data)).first)
        return (try #require(try TLVElement.all(in: outer.content).first).content.bytes, answer.status)
    }

    private static func token(_ keys: SessionKeys, _ point: CurvePoint) throws -> [UInt8] {
        let identifier = DERWriter.objectIdentifier(PACE.identifier)
        return try keys.authenticationCode(
            of: DERWriter.element(0x7F49, identifier + DERWriter.element(0x86, point.encoded)))
    }

    mutating func resetRetryCounter(_ p1: UInt8, _ data: String = "") throws -> UInt16 {
        try send(CommandAPDU(instruction: 0x2C, p1: p1, p2: 3, data: Array(data.utf8))).status
    }
}

@Suite("The virtual eID card")
struct VirtualCardTests {
    @Test("A transport PIN is replaced by a PIN in the channel that it has opened")
    func transportPIN() throws {
        var terminal = Terminal(CardState(pin: "12345"))
        #expect(try terminal.authenticate(.pin, "12345") == 0x9000)
        #expect(try terminal.resetRetryCounter(0x02, "222222") == 0x9000)
        #expect(try terminal.authenticate(.pin, "222222") == 0x9000)
    }

    @Test("Wrong PINs count, and the last try needs the CAN in the same channel")
    func lastTry() throws {
        var terminal = Terminal(CardState())
        #expect(try terminal.choose(.pin) == 0x9000)
        #expect(try terminal.authenticate(.pin, "000000") == 0x63C2)
        #expect(try terminal.authenticate(.pin, "000000") == 0x63C1)
        #expect(try terminal.choose(.pin) == 0x63C1)
        #expect(try terminal.authenticate(.pin, "123456") == 0x6985)
        #expect(try terminal.authenticate(.can, "000000") == 0x6300)
        #expect(try terminal.authenticate(.can, "654321") == 0x9000)
        #expect(try terminal.authenticate(.pin, "123456") == 0x9000)
        #expect(try terminal.choose(.pin) == 0x9000)
    }

    @Test("A command without protection ends the channel, and the CAN with it")
    func plainCommand() throws {
        var terminal = Terminal(CardState(tries: 1))
        #expect(try terminal.authenticate(.can, "654321") == 0x9000)
        #expect(terminal.sendPlain(hex("0022C1A4")) == hex("6700"))
        #expect(throws: (any Error).self) { try terminal.choose(.pin) }
    }

    @Test("The PUK gives the tries back as often as it can be used, and cannot set a PIN")
    func puk() throws {
        var terminal = Terminal(CardState(tries: 0, pukUses: 1))
        #expect(try terminal.choose(.pin) == 0x63C0)
        #expect(try terminal.authenticate(.pin, "123456") == 0x6983)
        #expect(try terminal.authenticate(.puk, "0000000000") == 0x6300)
        #expect(try terminal.authenticate(.puk, "1234567890") == 0x9000)
        #expect(try terminal.resetRetryCounter(0x02, "222222") == 0x6982)
        #expect(try terminal.resetRetryCounter(0x03) == 0x9000)
        #expect(try terminal.choose(.pin) == 0x9000)
        #expect(try terminal.resetRetryCounter(0x03) == 0x6983)
    }

    @Test("A deactivated card says so, and takes no PIN")
    func deactivated() throws {
        var terminal = Terminal(CardState(isDeactivated: true))
        #expect(try terminal.choose(.pin) == 0x6283)
        #expect(try terminal.authenticate(.pin, "123456") == 0x6283)
    }

    @Test("EF.CardAccess and EF.DIR can be read, and name PACE and the eID application")
    func files() throws {
        var terminal = Terminal(CardState())
        let access = try terminal.send(
            CommandAPDU(instruction: 0xB0, p1: 0x9C, p2: 0, expectedCount: 256))
        #expect(access.status == 0x6282)
        let paceInfo = hex("3012060A04007F0007020204020202010202010D")
        #expect(access.data.indices.contains { access.data[$0...].starts(with: paceInfo) })
        #expect(terminal.sendPlain(hex("00B09E0000")) == hex("610B4F09E80704007F000703026282"))
        #expect(terminal.sendPlain(hex("FF9A010100")) == hex("6D00"))
    }
}
