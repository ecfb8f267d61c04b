internal import Cryptography
internal import SecureMemory

/// Chip authentication on the server's side (Doc 9303-11 section 6.2): commands to send to the chip, and what its answers mean.
///
/// The chip proves that it has its private key when it answers SELECT and READ BINARY of EF.DG1 under the new keys. The
/// connection that carries the commands is not trusted. If chip authentication cannot be done, or if the chip refuses it in
/// the old channel, EF.DG1 is read in that channel: the client needs it, and the result says what happened.
package struct ChipAuthentication: Sendable {
    /// The results of document 003.
    package enum Result: String, Sendable {
        case success = "SUCCESS"
        case failed = "FAILED"
        case unavailable = "UNAVAILABLE"
    }

    /// What the connection to the chip allows.
    package struct Limits: Hashable, Sendable {
        package static let leastCommandByteCount = 100

        /// The longest command that can be sent, with its protection.
        package let commandByteCount: Int
        /// The most data that one READ BINARY can ask for.
        package let blockByteCount: Int
        package let allowsExtendedLength: Bool

        /// Nil if no command would fit.
        package init?(commandByteCount: Int, blockByteCount: Int, allowsExtendedLength: Bool) {
            guard commandByteCount >= Self.leastCommandByteCount, blockByteCount >= 1 else { return nil }
            self.commandByteCount = commandByteCount
            self.blockByteCount = blockByteCount
            self.allowsExtendedLength = allowsExtendedLength
        }
    }

    /// How the public key reaches a chip.
    package enum Command: Hashable, Sendable {
        /// MSE:Set KAT, only with Triple DES.
        case keyAgreementTemplate
        /// MSE:Set AT and GENERAL AUTHENTICATE.
        case authenticationTemplate
    }

    /// The channel and the file that the client gets back.
    package struct HandBack: Sendable {
        /// It has new keys only after success. Its counter is the one after the last answer.
        package let channel: SecureChannel
        package let dg1: Octets
    }

    package struct Outcome: Sendable {
        package let result: Result
        /// Nil if EF.DG1 could not be read: then the session with the client cannot go on.
        package let handBack: HandBack?
        /// What happened, without personal data; nil after success.
        package let reason: String?
    }

    package enum Step: Sendable {
        /// A protected command for the chip.
        case send([UInt8])
        case finished(Outcome)
    }

    private enum State: Sendable {
        case ready
        case agreeing(Attempt, rest: ArraySlice<CommandAPDU>)
        case proving(FileReading)
        case readingInOldChannel(FileReading, Result, reason: String)
        case finished(Outcome)
    }

    /// One way of chip authentication, and the ways that are left.
    private struct Attempt: Sendable {
        let offer: ChipAuthenticationOffer
        let commands: ArraySlice<Command>
    }

    /// EF.DG1 has 95 bytes at most.
    private static let dg1ByteCountLimit = 512

    private let offer: ChipAuthenticationOffer?
    private let limits: Limits
    private let keyPairs: TerminalKeyPairs
    private let tripleDESCommands: [Command]
    private var oldChannel: SecureChannel
    private var newChannel: SecureChannel?
    private var state = State.ready

    /// - Parameters:
    ///   - infos: DG14, which may be a forgery until the security object was checked.
    ///   - channel: keys and counter as the client handed them over.
    ///   - tripleDESCommands: the order in which the two ways are tried with Triple DES. Doc 9303-11 section 6.2.4.2 says that a
    ///     chip must know the first one. With AES there is only the second.
    package init(
        _ infos: SecurityInfos, channel: SecureChannel, limits: Limits, keyPairs: TerminalKeyPairs = .random,
        tripleDESCommands: [Command] = [.keyAgreementTemplate, .authenticationTemplate]
    ) {
        offer = ChipAuthenticationOffer.strongest(in: infos)
        oldChannel = channel
        self.limits = limits
        self.keyPairs = keyPairs
        self.tripleDESCommands = tripleDESCommands
    }

    /// The first command.
    package mutating func start() -> Step {
        guard let offer else {
            return readInOldChannel(.unavailable, "the chip has no key for chip authentication that can be used")
        }
        let commands = offer.protocol.cipher == .tripleDES ? tripleDESCommands : [.authenticationTemplate]
        return attempt(Attempt(offer: offer, commands: commands[...]))
    }

    /// Takes the chip's answer to the last command, and says what comes next.
    package mutating func receive(_ response: Octets) -> Step {
        switch state {
        case .ready: return start()
        case .finished(let outcome): return .finished(outcome)
        case .agreeing(let attempt, let rest): return continueAgreement(attempt, rest, response)
        case .proving(let reading): return continueProof(reading, response)
        case .readingInOldChannel(let reading, let result, let reason):
            return continueOldChannel(reading, result, reason, response)
        }
    }
}

// MARK: The key agreement, in the old channel

extension ChipAuthentication {
    private mutating func attempt(_ attempt: Attempt) -> Step {
        guard let command = attempt.commands.first else {
            return readInOldChannel(.failed, "the chip refused chip authentication")
        }
        let offer = attempt.offer
        guard let (publicKey, secret) = try? keyPairs.agree(with: offer.publicKey),
            let keys = try? SessionKeys(offer.protocol.cipher, secret: secret.bytes)
        else { return readInOldChannel(.failed, "the chip's key cannot be used") }
        newChannel = SecureChannel(keys: keys)
        let commands = Self.commands(command, offer, publicKey).flatMap(fitting)
        let next = Attempt(offer: offer, commands: attempt.commands.dropFirst())
        return sendInOldChannel(commands[0]) { .agreeing(next, rest: commands[1...]) }
    }

    private mutating func continueAgreement(
        _ attempt: Attempt, _ rest: ArraySlice<CommandAPDU>, _ response: Octets
    ) -> Step {
        guard let answer = unprotectInOldChannel(response) else { return endOfOldChannel() }
        guard answer.status == .success else { return self.attempt(attempt) }
        if let command = rest.first {
            return sendInOldChannel(command) { .agreeing(attempt, rest: rest.dropFirst()) }
        }
        guard let channel = newChannel else { return endOfOldChannel() }
        let reading = readingOfDG1(in: channel)
        return sendInNewChannel(reading.first, reading)
    }

    /// The commands with the public key and, if the chip has several keys, the number of its key.
    private static func commands(
        _ command: Command, _ offer: ChipAuthenticationOffer, _ publicKey: [UInt8]
    ) -> [CommandAPDU] {
        let reference = offer.keyIdentifier.map { DERWriter.element(0x84, $0) } ?? []
        switch command {
        case .keyAgreementTemplate:
            let data = DERWriter.element(0x91, publicKey) + reference
            return [CommandAPDU(instruction: 0x22, p1: 0x41, p2: 0xA6, data: data)]
        case .authenticationTemplate:
            let identifier = DERWriter.element(0x80, offer.protocol.identifier.encoded)
            let key = DERWriter.element(0x7C, DERWriter.element(0x80, publicKey))
            return [
                CommandAPDU(instruction: 0x22, p1: 0x41, p2: 0xA4, data: identifier + reference),
                CommandAPDU(instruction: 0x86, p1: 0, p2: 0, data: key, expectedCount: 256),
            ]
        }
    }

    /// The command as it is if its protected form is short enough, or in a chain (ISO/IEC 7816-4 section 5.3.3).
    private func fitting(_ command: CommandAPDU) -> [CommandAPDU] {
        let longest = min(oldChannel.longestShortData, chunkByteCount(in: oldChannel, limitedByBlock: false))
        let block = oldChannel.keys.cipher.blockByteCount
        let extendedByteCount = (command.data.count / block + 1) * block + 28
        let fitsExtended = limits.allowsExtendedLength && extendedByteCount <= limits.commandByteCount
        guard command.data.count > longest, !fitsExtended else { return [command] }
        return stride(from: 0, to: command.data.count, by: longest).map { start in
            let end = min(start + longest, command.data.count)
            let isLast = end == command.data.count
            return CommandAPDU(
                instructionClass: isLast ? command.instructionClass : command.instructionClass | 0x10,
                instruction: command.instruction, p1: command.p1, p2: command.p2,
                data: Array(command.data[start..<end]), expectedCount: isLast ? command.expectedCount : nil)
        }
    }

    private func readingOfDG1(in channel: SecureChannel) -> FileReading {
        FileReading(
            .dataGroup(1), chunkByteCount: chunkByteCount(in: channel), byteCountLimit: Self.dg1ByteCountLimit)
    }

    /// How many bytes a protected command, or a protected answer with short lengths, has room for.
    private func chunkByteCount(in channel: SecureChannel, limitedByBlock: Bool = true) -> Int {
        let room = channel.longestData(inBodyOf: min(255, limits.commandByteCount - 6))
        return limitedByBlock ? min(room, limits.blockByteCount) : room
    }
}

// MARK: The proof, in the new channel

extension ChipAuthentication {
    private mutating func continueProof(_ reading: FileReading, _ response: Octets) -> Step {
        guard var channel = newChannel else { return endOfOldChannel() }
        let answer: ResponseAPDU
        do {
            answer = try channel.unprotect(response)
            newChannel = channel
        } catch {
            newChannel = nil
            // A chip that answers without protection has ended its channel, including the old one.
            if case .unprotected(let status) = error {
                return finish(.failed, nil, "the chip ended its channel with \(status)")
            }
            return readInOldChannel(.failed, "the chip does not have the new keys")
        }
        var reading = reading
        switch reading.receive(answer) {
        case .command(let command): return sendInNewChannel(command, reading)
        case .file(let dg1): return finish(.success, HandBack(channel: channel, dg1: dg1), nil)
        case .failed(let problem):
            newChannel = nil
            return finish(.failed, nil, "EF.DG1 cannot be read under the new keys: \(problem)")
        }
    }

    private mutating func sendInNewChannel(_ command: CommandAPDU, _ reading: FileReading) -> Step {
        guard var channel = newChannel, let bytes = try? channel.protect(command) else { return endOfOldChannel() }
        newChannel = channel
        state = .proving(reading)
        return .send(bytes)
    }
}

// MARK: EF.DG1 in the old channel

extension ChipAuthentication {
    private mutating func readInOldChannel(_ result: Result, _ reason: String) -> Step {
        newChannel = nil
        let reading = readingOfDG1(in: oldChannel)
        return sendInOldChannel(reading.first) { .readingInOldChannel(reading, result, reason: reason) }
    }

    private mutating func continueOldChannel(
        _ reading: FileReading, _ result: Result, _ reason: String, _ response: Octets
    ) -> Step {
        guard let answer = unprotectInOldChannel(response) else {
            return finish(result, nil, "\(reason); EF.DG1 cannot be read in the old channel")
        }
        var reading = reading
        switch reading.receive(answer) {
        case .command(let command):
            return sendInOldChannel(command) { .readingInOldChannel(reading, result, reason: reason) }
        case .file(let dg1): return finish(result, HandBack(channel: oldChannel, dg1: dg1), reason)
        case .failed(let problem): return finish(result, nil, "\(reason); EF.DG1 cannot be read: \(problem)")
        }
    }

    private mutating func sendInOldChannel(_ command: CommandAPDU, then next: () -> State) -> Step {
        guard let bytes = try? oldChannel.protect(command) else { return endOfOldChannel() }
        state = next()
        return .send(bytes)
    }

    /// Nil if the answer breaks the channel.
    private mutating func unprotectInOldChannel(_ response: Octets) -> ResponseAPDU? {
        try? oldChannel.unprotect(response)
    }

    private mutating func endOfOldChannel() -> Step {
        finish(.failed, nil, "the chip ended its channel, or an answer was changed")
    }

    private mutating func finish(_ result: Result, _ handBack: HandBack?, _ reason: String?) -> Step {
        let outcome = Outcome(result: result, handBack: handBack, reason: reason)
        state = .finished(outcome)
        newChannel = nil
        return .finished(outcome)
    }
}
