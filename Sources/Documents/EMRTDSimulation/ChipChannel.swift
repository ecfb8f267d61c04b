internal import Cryptography
package import EMRTD

/// Secure messaging on the chip's side (Doc 9303-11 section 9.8): checks commands and protects answers.
package struct ChipChannel: Sendable {
    let keys: SessionKeys
    private(set) var counter: SendSequenceCounter

    package init(keys: SessionKeys, counter: SendSequenceCounter? = nil) {
        self.keys = keys
        self.counter = counter ?? SecureChannel(keys: keys).counter
    }

    /// The command in a protected one; nil if its protection is wrong.
    package mutating func unprotect(_ command: CommandAPDU) -> CommandAPDU? {
        counter.increment()
        guard command.instructionClass & 0x0C == 0x0C,
            let objects = try? CommandObjects(Octets(copying: command.data))
        else { return nil }
        let block = keys.cipher.blockByteCount
        let header = [command.instructionClass, command.instruction, command.p1, command.p2]
        let paddedHeader = Padding.pad(header, block)
        let authenticated =
            objects.authenticated.isEmpty ? paddedHeader : Padding.pad(paddedHeader + objects.authenticated, block)
        guard let code = try? keys.authenticationCode(of: counter.bytes + authenticated),
            ConstantTime.areEqual(code, objects.authenticationCode)
        else { return nil }
        var data: [UInt8] = []
        if let cryptogram = objects.cryptogram {
            guard let padded = try? keys.decrypt(Octets(copying: cryptogram), counter),
                let content = Padding.unpad(Octets(padded))
            else { return nil }
            data = content.bytes
        }
        return CommandAPDU(
            instructionClass: command.instructionClass & ~0x0C, instruction: command.instruction, p1: command.p1,
            p2: command.p2, data: data, expectedCount: objects.expectedCount)
    }

    package mutating func protect(_ data: [UInt8], _ status: StatusWord) throws -> [UInt8] {
        counter.increment()
        let block = keys.cipher.blockByteCount
        var objects: [UInt8] = []
        if !data.isEmpty {
            let cryptogram = try keys.encrypt(Octets(copying: Padding.pad(data, block)), counter)
            objects = DERWriter.element(0x87, [1] + cryptogram)
        }
        objects += DERWriter.element(0x99, status.bytes)
        let code = try keys.authenticationCode(of: Padding.pad(counter.bytes + objects, block))
        return objects + DERWriter.element(0x8E, code) + status.bytes
    }
}

/// The elements of a protected command: DO87, DO97, DO8E.
private struct CommandObjects {
    var cryptogram: [UInt8]?
    var expectedCount: Int?
    var authenticationCode: [UInt8] = []
    var authenticated: [UInt8] = []

    init(_ data: Octets) throws(FormatError) {
        for element in try TLVElement.all(in: data) {
            let content = element.content.bytes
            switch element.tag {
            case 0x87: cryptogram = Array(content.dropFirst())
            case 0x97:
                let number = Int(bigEndianBytes: content)
                expectedCount = number == 0 ? (content.count == 1 ? 256 : 65_536) : number
            case 0x8E:
                authenticationCode = content
                continue
            default: continue
            }
            authenticated += element.encoded.bytes
        }
    }
}
