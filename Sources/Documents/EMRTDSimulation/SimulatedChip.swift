internal import Cryptography
package import EMRTD

/// A chip that answers commands over secure messaging, as a chip does after BAC or PACE: SELECT, READ BINARY, MSE:Set KAT,
/// MSE:Set AT, GENERAL AUTHENTICATE and INTERNAL AUTHENTICATE, also in chains. It can be told to misbehave.
package struct SimulatedChip: Sendable {
    package let document: SimulatedDocument
    /// The ways of chip authentication that the chip knows.
    private let knownCommands: Set<ChipAuthentication.Command>
    private var misbehaviors: [Misbehavior]

    private var channel: ChipChannel?
    private var selected: FileName?
    private var agreementProtocol: SessionKeys.Cipher?
    private var chained: [UInt8] = []
    private var lastAnswer: [UInt8]?

    /// - Parameters:
    ///   - keys, counter: of the channel that access control has made.
    package init(
        _ document: SimulatedDocument, keys: SessionKeys, counter: SendSequenceCounter? = nil,
        misbehaviors: [Misbehavior] = [],
        knownCommands: Set<ChipAuthentication.Command> = [.keyAgreementTemplate, .authenticationTemplate]
    ) {
        self.document = document
        self.misbehaviors = misbehaviors
        self.knownCommands = knownCommands
        channel = ChipChannel(keys: keys, counter: counter)
    }

    /// The answer to a command; nil if there is none.
    package mutating func answer(_ command: [UInt8]) -> [UInt8]? {
        guard var channel, let outer = try? CommandAPDU(command), let inner = channel.unprotect(outer) else {
            return endChannel(.secureMessagingObjectsIncorrect)
        }
        self.channel = channel
        let misbehavior = misbehavior(at: step(of: inner))
        var (data, status, newKeys) = execute(inner)
        switch misbehavior {
        case .refuse: (data, status, newKeys) = ([], .incorrectData, nil)
        case .lie: data = Self.lie(data)
        default: break
        }
        guard let answer = try? channel.protect(data, status) else { return endChannel(.incorrectData) }
        self.channel = newKeys.map { ChipChannel(keys: $0) } ?? channel
        defer { lastAnswer = answer }
        return spoil(answer, misbehavior)
    }

    /// An error without protection ends the channel (Doc 9303-11 section 9.8.8).
    private mutating func endChannel(_ status: StatusWord) -> [UInt8] {
        channel = nil
        return status.bytes
    }
}

// MARK: What it does wrong

extension SimulatedChip {
    private func step(of command: CommandAPDU) -> Misbehavior.Step? {
        switch command.instruction {
        case 0x22: .manageSecurityEnvironment
        case 0x86: .generalAuthenticate
        case 0xA4: .select
        case 0xB0: command.p1 == 0 && command.p2 == 0 ? .readHeader : .readRest
        case 0x88: .internalAuthenticate
        default: nil
        }
    }

    private mutating func misbehavior(at step: Misbehavior.Step?) -> Misbehavior.Kind? {
        guard let index = misbehaviors.firstIndex(where: { $0.step == step }) else { return nil }
        let misbehavior = misbehaviors[index]
        if misbehavior.happensOnce { misbehaviors.remove(at: index) }
        return misbehavior.kind
    }

    /// Other data of the same length. The header of a file stays, so that the file can be read.
    private static func lie(_ data: [UInt8]) -> [UInt8] {
        guard data.count > 4, let last = data.indices.last else { return data }
        var lie = data
        lie[last] ^= 1
        return lie
    }

    private mutating func spoil(_ answer: [UInt8], _ misbehavior: Misbehavior.Kind?) -> [UInt8]? {
        var spoiled = answer
        switch misbehavior {
        case nil, .refuse, .lie: return answer
        case .drop: return nil
        case .loseChip: return endChannel(StatusWord(rawValue: 0x6F00))
        case .refuseWithoutProtection: return endChannel(.securityStatusNotSatisfied)
        case .claimSuccessWithoutProtection: return StatusWord.success.bytes
        case .changeAuthenticationCode: spoiled[answer.count - 3] ^= 1
        case .changeContent: spoiled[min(5, answer.count - 15)] ^= 1
        case .changeStatus: spoiled.replaceSubrange((answer.count - 2)..., with: StatusWord.endOfFile.bytes)
        case .cut: spoiled.remove(at: answer.count - 3)
        case .replay: return lastAnswer ?? answer
        }
        return spoiled
    }
}

// MARK: What it can do

extension SimulatedChip {
    private typealias Result = (data: [UInt8], status: StatusWord, newKeys: SessionKeys?)

    private mutating func execute(_ command: CommandAPDU) -> Result {
        // Every part of a chain says so, except the last one.
        let isPart = command.instructionClass & 0x10 != 0
        let data = chained + command.data
        chained = isPart ? data : []
        guard !isPart else { return ([], .success, nil) }
        switch command.instruction {
        case 0xA4: return ([], select(data), nil)
        case 0xB0: return readBinary(command)
        case 0x22: return manageSecurityEnvironment(command, data)
        case 0x86: return generalAuthenticate(data)
        case 0x88: return internalAuthenticate(data)
        default: return ([], .unknownInstruction, nil)
        }
    }

    private mutating func select(_ identifier: [UInt8]) -> StatusWord {
        selected = document.files.keys.first { $0.identifier == identifier }
        return selected == nil ? .fileNotFound : .success
    }

    private func readBinary(_ command: CommandAPDU) -> Result {
        guard let file = selected.flatMap({ document.files[$0] }), let count = command.expectedCount else {
            return ([], .conditionsNotSatisfied, nil)
        }
        let offset = Int(bigEndianBytes: [command.p1, command.p2])
        guard offset < file.count else { return ([], .wrongParameters, nil) }
        let data = Array(file[offset...].prefix(count))
        return (data, data.count < count ? .endOfFile : .success, nil)
    }

    private mutating func manageSecurityEnvironment(_ command: CommandAPDU, _ data: [UInt8]) -> Result {
        guard let elements = try? TLVElement.all(in: Octets(copying: data)), command.p1 == 0x41 else {
            return ([], .incorrectData, nil)
        }
        func value(_ tag: TLVTag) -> [UInt8]? { elements.first { $0.tag == tag }?.content.bytes }
        switch command.p2 {
        case 0xA6 where knownCommands.contains(.keyAgreementTemplate):
            return value(0x91).flatMap { agree($0, .tripleDES) }.map { ([], .success, $0) } ?? ([], .incorrectData, nil)
        case 0xA4 where knownCommands.contains(.authenticationTemplate):
            let ciphers = SessionKeys.Cipher.allCases
            agreementProtocol = ciphers.first { cipher in
                [true, false].contains {
                    ChipAuthenticationProtocol(isDiffieHellman: $0, cipher: cipher).identifier.encoded == value(0x80)
                }
            }
            return ([], agreementProtocol == nil ? .incorrectData : .success, nil)
        default: return ([], .incorrectData, nil)
        }
    }

    private func generalAuthenticate(_ data: [UInt8]) -> Result {
        guard let cipher = agreementProtocol,
            let outer = try? TLVElement.all(in: Octets(copying: data)).first(where: { $0.tag == 0x7C }),
            let key = try? TLVElement.all(in: outer.content).first(where: { $0.tag == 0x80 })?.content.bytes,
            let keys = agree(key, cipher)
        else { return ([], .incorrectData, nil) }
        return ([0x7C, 0x00], .success, keys)
    }

    /// The new keys with the terminal's public key; nil if it cannot be used.
    private func agree(_ terminalKey: [UInt8], _ cipher: SessionKeys.Cipher) -> SessionKeys? {
        switch document.chipAuthenticationKey {
        case .ellipticCurve(let key):
            guard let peer = try? ECPublicKey(curve: key.publicKey.curve, point: terminalKey),
                let secret = try? key.sharedSecret(with: peer)
            else { return nil }
            return try? SessionKeys(cipher, secret: secret)
        case .diffieHellman(let key):
            guard let peer = try? DHPublicKey(group: key.publicKey.group, number: terminalKey),
                let secret = try? key.sharedSecret(with: peer)
            else { return nil }
            return try? SessionKeys(cipher, secret: secret)
        case nil: return nil
        }
    }

    /// A plain ECDSA signature with SHA-256.
    private func internalAuthenticate(_ challenge: [UInt8]) -> Result {
        guard let key = document.activeAuthenticationKey, challenge.count == ActiveAuthentication.challengeByteCount,
            let signature = try? key.signECDSA(digest: HashAlgorithm.sha256.hash(challenge))
        else { return ([], .conditionsNotSatisfied, nil) }
        return (signature.r + signature.s, .success, nil)
    }
}
