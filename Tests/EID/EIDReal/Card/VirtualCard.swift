internal import EMRTD
internal import EMRTDSimulation

/// An eID card that answers commands: the passwords and counters of document 001, behind PACE and secure messaging. It has
/// no other keys and no data, so it can authenticate nobody.
package struct VirtualCard: Sendable {
    /// The answer to reset of an identity card, as a contactless reader makes it.
    package static let answerToReset: [UInt8] = [
        0x3B, 0x8A, 0x80, 0x01, 0x80, 0x31, 0xF8, 0x73, 0xF7, 0x41, 0xE0, 0x82, 0x90, 0x00, 0x75,
    ]

    package private(set) var state: CardState
    /// Whether it is another card, without an eID application.
    private let isUnknown: Bool
    private var session = Session()

    /// What the card forgets without power.
    private struct Session {
        var file: [UInt8]?
        var chosen: Password?
        var pace: PACE?
        var channel: ChipChannel?
        /// The keys that the channel has after the next answer.
        var agreed: ChipChannel?
        /// Which password opened the channel.
        var verified: Password?
    }

    private typealias Answer = (data: [UInt8], status: StatusWord)

    package init(_ state: CardState = CardState(), isUnknown: Bool = false) {
        self.state = state
        self.isUnknown = isUnknown
    }

    /// The power is off or on, or there was a reset.
    package mutating func reset() {
        session = Session()
    }

    /// Answers a command.
    package mutating func respond(to bytes: [UInt8]) -> [UInt8] {
        guard let command = try? CommandAPDU(bytes) else { return StatusWord.wrongLength.bytes }
        guard command.instructionClass & ~0x10 == 0x0C else {
            // A command without protection ends the channel.
            session.channel = nil
            session.verified = nil
            let answer = execute(command)
            openAgreed()
            return answer.data + answer.status.bytes
        }
        guard var channel = session.channel, let content = channel.unprotect(command) else {
            reset()
            return StatusWord.secureMessagingObjectsIncorrect.bytes
        }
        let answer = execute(content)
        guard let protected = try? channel.protect(answer.data, answer.status) else {
            reset()
            return StatusWord.secureMessagingObjectsIncorrect.bytes
        }
        session.channel = channel
        openAgreed()
        return protected
    }

    private mutating func openAgreed() {
        guard let agreed = session.agreed else { return }
        session.channel = agreed
        session.agreed = nil
    }

    private mutating func execute(_ command: CommandAPDU) -> Answer {
        guard !isUnknown else { return ([], .fileNotFound) }
        switch command.instruction {
        case 0xA4: return ([], select(command))
        case 0xB0: return read(command)
        case 0x22: return ([], choose(command))
        case 0x86: return authenticate(command)
        case 0x2C: return ([], resetRetryCounter(command))
        default: return ([], .unknownInstruction)
        }
    }
}

// MARK: Files

extension VirtualCard {
    private mutating func select(_ command: CommandAPDU) -> StatusWord {
        session.file = CardFiles.file(command.data)
        let isKnown =
            session.file != nil || command.data.isEmpty
            || [CardFiles.application, CardFiles.masterFile].contains(command.data)
        return isKnown ? .success : .fileNotFound
    }

    /// READ BINARY, of the chosen file or of one with a short identifier.
    private mutating func read(_ command: CommandAPDU) -> Answer {
        let isShort = command.p1 & 0x80 != 0
        if isShort { session.file = CardFiles.file(short: command.p1 & 0x1F) }
        guard let file = session.file else { return ([], .fileNotFound) }
        let offset = isShort ? Int(command.p2) : Int(command.p1) << 8 | Int(command.p2)
        guard offset <= file.count else { return ([], .wrongParameters) }
        let wanted = command.expectedCount ?? 0
        let part = Array(file[offset...].prefix(wanted))
        return (part, part.count < wanted ? .endOfFile : .success)
    }
}

// MARK: Passwords

extension VirtualCard {
    /// MSE:Set AT for PACE (TR-03110 part 3, section B.11.1). For the PIN it is also the question for its counter.
    private mutating func choose(_ command: CommandAPDU) -> StatusWord {
        guard command.p1 == 0xC1, command.p2 == 0xA4 else { return .wrongParameters }
        guard !command.data.isEmpty else { return .wrongLength }
        guard let elements = try? TLVElement.all(in: Octets(copying: command.data)),
            elements.contains(where: { $0.tag == 0x80 && $0.content == PACE.identifier.encoded }),
            let reference = elements.first(where: { $0.tag == 0x83 })?.content, reference.count == 1,
            let password = Password(rawValue: reference[0])
        else { return .incorrectData }
        session.chosen = password
        session.pace = nil
        return state.status(of: password)
    }

    /// GENERAL AUTHENTICATE: a step of PACE.
    private mutating func authenticate(_ command: CommandAPDU) -> Answer {
        guard let password = session.chosen else { return ([], .conditionsNotSatisfied) }
        if session.pace == nil {
            if let refusal = state.refusal(of: password, isResumed: session.verified == .can) { return ([], refusal) }
            session.pace = PACE(password: state.digits(of: password))
        }
        do {
            switch try session.pace?.follow(command.data) {
            case .data(let data): return (data, .success)
            case .done(let data, let keys):
                state.accept(password)
                session.agreed = ChipChannel(keys: keys)
                session.verified = password
                endPACE()
                return (data, .success)
            case .wrongPassword, nil:
                endPACE()
                return ([], state.reject(password))
            }
        } catch {
            endPACE()
            return ([], .incorrectData)
        }
    }

    private mutating func endPACE() {
        session.pace = nil
        session.chosen = nil
    }

    /// RESET RETRY COUNTER (TR-03110 part 3, section B.11.4): with `02` it sets the PIN, with `03` it unblocks it.
    private mutating func resetRetryCounter(_ command: CommandAPDU) -> StatusWord {
        guard command.p2 == Password.pin.rawValue else { return .wrongParameters }
        switch (command.p1, session.verified) {
        case (0x02, .pin): return state.setPIN(command.data)
        case (0x03, .puk): return state.unblock()
        case (0x02, _), (0x03, _): return .securityStatusNotSatisfied
        default: return .wrongParameters
        }
    }
}
