/// One session with the AusweisApp, as a state machine. It knows when each command is allowed, and when each message means
/// something. It sends nothing itself.
///
/// RUN_AUTH → AUTH → ACCESS_RIGHTS → ACCEPT → [INSERT_CARD] → ENTER_… → AUTH
/// RUN_CHANGE_PIN → CHANGE_PIN → [INSERT_CARD] → ENTER_PIN → ENTER_NEW_PIN → CHANGE_PIN
public struct Session: Sendable {
    /// The level that was agreed.
    public let level: APILevel
    /// Where the session is.
    public private(set) var state = State.idle

    /// - Parameter level: the level that was agreed.
    public init(level: APILevel) {
        self.level = level
    }

    /// How long the AusweisApp may be silent, in seconds, before the session counts as broken; nil while it waits for the
    /// app, the cardholder or a card, because they can take any time.
    public var patienceSeconds: Double? {
        switch state {
        case .idle, .waiting: nil
        case .starting: SessionLimits.startSeconds
        case .working: SessionLimits.workSeconds
        case .cancelling: SessionLimits.cancelSeconds
        }
    }
}

/// How long the AusweisApp may take.
public enum SessionLimits {
    /// Until a level is agreed.
    public static let negotiationSeconds = 10.0
    /// From RUN_AUTH or RUN_CHANGE_PIN to the next message.
    public static let startSeconds = 30.0
    /// From a command in a workflow to the next message. A service and a card can take part in the answer.
    public static let workSeconds = 120.0
    /// From CANCEL to the end.
    public static let cancelSeconds = 15.0
}

// MARK: Commands

extension Session {
    /// Call it before the app sends a command. If the command is allowed, the session goes on to the state after it.
    ///
    /// - Throws: ``Refusal``.
    public mutating func send(_ command: Command) throws(Refusal) {
        guard level >= command.name.level else { throw .level }
        guard command.name.prompt == nil || command.name.prompt == state.prompt?.name else { throw .badState }
        switch command {
        case .getInfo, .getAPILevel, .getReader, .getReaderList, .getStatus, .getAccessRights, .setAccessRights,
            .getCertificate, .setCard:
            break
        case .setAPILevel(let level): guard level == self.level.rawValue else { throw .level }
        case .runAuth(let run): try start(.authentication, run.handleInterrupt, run.status)
        case .runChangePIN(let run): try start(.pinChange, run.handleInterrupt, run.status)
        case .accept, .continueWorkflow: work()
        case .cancel:
            guard let workflow = state.workflow else { throw .badState }
            state = .cancelling(workflow)
        case .interrupt: guard state.prompt?.enter != nil else { throw .badState }
        case .setPIN(let value), .setNewPIN(let value), .setCAN(let value), .setPUK(let value): try enter(value)
        }
    }

    private mutating func start(
        _ workflow: Workflow, _ handleInterrupt: Bool?, _ status: Bool?
    ) throws(Refusal) {
        guard case .idle = state else { throw .badState }
        guard handleInterrupt == nil || level == .one, status == nil || level >= .two else { throw .level }
        state = .starting(workflow)
    }

    private mutating func work() {
        if case .waiting(let workflow, let prompt) = state { state = .working(workflow, after: prompt) }
    }

    /// With a keypad there must be no value. Without one, the value must have the right number of digits.
    private mutating func enter(_ value: CardSecret?) throws(Refusal) {
        guard case .waiting(let workflow, let prompt) = state, let enter = prompt.enter,
            let kind = prompt.name?.secret(in: workflow)
        else { throw .badState }
        switch value {
        case nil: guard enter.reader.keypad else { throw .value("Value cannot be undefined") }
        case let value?:
            guard !enter.reader.keypad else { throw .value("Value cannot be defined") }
            guard value.fits(kind) else { throw .value(kind.requirement) }
        }
        work()
    }
}

extension Message {
    /// The members of ENTER_PIN, ENTER_NEW_PIN, ENTER_CAN or ENTER_PUK; nil for other messages.
    fileprivate var enter: EnterMessage? {
        switch self {
        case .enterPIN(let message), .enterNewPIN(let message), .enterCAN(let message), .enterPUK(let message): message
        default: nil
        }
    }
}

// MARK: Messages

extension Session {
    /// Takes a message.
    ///
    /// - Returns: whether it means something now. A late or repeated one does not.
    public mutating func receive(_ message: Message) -> Bool {
        switch message {
        case .auth(let message): return receive(message)
        case .changePIN(let message): return receive(message)
        case .accessRights:
            return state.workflow == .authentication && isBeforeAcceptance && wait(after: message)
        case .insertCard: return state.prompt?.name != .accessRights && wait(after: message)
        case .enterNewPIN: return state.workflow == .pinChange && wait(after: message)
        case .pause, .enterPIN, .enterCAN, .enterPUK: return wait(after: message)
        case .badState(let command), .unknownCommand(let command): takeBack(command)
        case .invalid, .internalError, .apiLevel, .certificate, .info, .reader, .readerList, .status: break
        case .unknown: return false
        }
        return true
    }

    private mutating func receive(_ message: AuthMessage) -> Bool {
        guard state.workflow == .authentication else { return false }
        switch message {
        case .started: return confirmStart()
        case .refused: guard case .starting = state else { return false }
        case .finished: break
        }
        state = .idle
        return true
    }

    private mutating func receive(_ message: ChangePINMessage) -> Bool {
        guard state.workflow == .pinChange else { return false }
        if message == .started { return confirmStart() }
        state = .idle
        return true
    }

    private mutating func confirmStart() -> Bool {
        guard case .starting(let workflow) = state else { return isCancelling }
        state = .working(workflow, after: nil)
        return true
    }

    private var isCancelling: Bool {
        if case .cancelling = state { true } else { false }
    }

    /// ACCESS_RIGHTS comes once by itself, and again when the app asks for it.
    private var isBeforeAcceptance: Bool {
        switch state {
        case .starting, .working(_, after: nil), .waiting(_, .accessRights): true
        default: false
        }
    }

    /// After CANCEL, no question counts.
    private mutating func wait(after prompt: Message) -> Bool {
        guard let workflow = state.workflow, !isCancelling else { return false }
        state = .waiting(workflow, prompt)
        return true
    }

    /// The AusweisApp refused a command: the state before it holds again.
    private mutating func takeBack(_ command: String) {
        let command = Command.Name(rawValue: command)
        switch (command, state) {
        case (.runAuth, .starting(.authentication)), (.runChangePIN, .starting(.pinChange)), (.cancel, .cancelling):
            state = .idle
        case (_?, .working(let workflow, after: let prompt?)) where command?.prompt == prompt.name:
            state = .waiting(workflow, prompt)
        default: break
        }
    }
}
