public import EIDInterface
internal import SecureMemory
internal import StrictJSON

/// A kernel that speaks document 000, as a state machine: commands in, messages out. It has readers and cards in memory, and
/// a service that authenticates no one.
public struct SimulatedKernel: Sendable {
    /// What the kernel does.
    public enum Output: Sendable, Equatable {
        /// It sends a message of the level.
        case message(Message, APILevel)
        /// It sends this text, whatever it is.
        case text(String)
        /// It closes the connection.
        case disconnect
    }

    /// The longest command that it reads, in bytes.
    public static let commandByteLimit = 64 * 1024

    struct Workflow: Sendable {
        let kind: Session.Workflow
        let sendsStatus: Bool
        var granted: [AccessRight]
        /// The message that it waits for an answer to.
        var prompt: Message.Name?
        /// The state before PAUSE.
        var paused: Message.Name?
        /// It goes on when a card comes.
        var waitsForCard = false
        /// The reader with the card that was used last. It is named even after the card is gone.
        var lastReader: ReaderMessage?
        /// What was entered while no card was there, and at what prompt.
        var pending: (prompt: Message.Name, value: CardSecret)?
        /// The PIN that was right. A card that comes back must have it before it takes a new one.
        var verifiedPIN: CardSecret?
        /// The reader whose card has changed, if READER has not told it yet.
        var changedReader: Int?
        /// A right CAN opens the last try of the PIN.
        var isCANVerified = false
        var progressPercent = 0
    }

    private let scenario: Scenario
    private let available: [APILevel]
    var readers: [SimulatedReader]
    private(set) var level: APILevel
    var workflow: Workflow?
    private var sentCounts: [String: Int] = [:]
    private var isSilent = false
    private var outputs: [Output] = []

    /// A kernel at the beginning of a scenario.
    public init(_ scenario: Scenario = Scenario()) {
        self.scenario = scenario
        available = scenario.levels.sorted()
        level = available.last ?? .one
        readers = scenario.readers
    }

    /// An app has connected. The level of the previous app still holds, and there is no workflow.
    public mutating func connect() {
        isSilent = false
    }

    /// The app is gone: its workflow is cancelled.
    public mutating func disconnect() {
        workflow = nil
        outputs = []
    }

    /// Which program INFO and the status page name. They do not say that it is an AusweisApp.
    public static let version = VersionInfo(
        name: "eid-simulator", implementationTitle: "eid-simulator (simulation, authenticates nobody)",
        implementationVendor: "card-companion", implementationVersion: "0.2.0", specificationTitle: "TR-03124",
        specificationVendor: "Federal Office for Information Security", specificationVersion: "1.3")

    var service: SimulatedService { scenario.service }
    /// Only the newest level has them: no document of levels 1 and 2 does.
    var hasReasons: Bool { level >= .three }

    /// Sends a message, and does what the scenario has after it.
    mutating func send(_ message: Message) {
        guard !isSilent else { return }
        outputs.append(.message(message, level))
        guard let name = message.name?.rawValue else { return }
        let count = (sentCounts[name] ?? 0) + 1
        sentCounts[name] = count
        for event in scenario.events where event.after == name && event.count == count {
            for action in event.actions { follow(action) }
        }
    }

    private mutating func text(_ text: String) {
        if !isSilent { outputs.append(.text(text)) }
    }

    private mutating func taken() -> [Output] {
        defer { outputs = [] }
        return outputs
    }
}

// MARK: Readers and cards

extension SimulatedKernel {
    /// Lets something happen to a reader, a card or the connection.
    public mutating func perform(_ action: Scenario.Action) -> [Output] {
        follow(action)
        return taken()
    }

    private mutating func follow(_ action: Scenario.Action) {
        switch action {
        case .insert(let card, let reader):
            change(reader) { $0.card = card }
            if workflow?.waitsForCard == true { requireCard() }
        case .remove(let reader): change(reader) { $0.card = nil }
        case .attach(let reader):
            change(reader) { $0.isAttached = true }
            if workflow?.waitsForCard == true { requireCard() }
        case .detach(let reader):
            change(reader) {
                $0.isAttached = false
                $0.card = nil
            }
        case .pause:
            guard let prompt = workflow?.prompt, prompt != .pause, level >= .three else { return }
            workflow?.paused = prompt
            workflow?.prompt = .pause
            send(.pause(cause: "BadCardPosition"))
        case .send(let text): self.text(text)
        case .silence: isSilent = true
        case .disconnect: outputs.append(.disconnect)
        }
    }

    /// READER tells every change.
    private mutating func change(_ name: String, _ change: (inout SimulatedReader) -> Void) {
        guard let index = readers.firstIndex(where: { $0.name == name }) else { return }
        let before = readers[index].message
        change(&readers[index])
        if readers[index].message != before { send(.reader(readers[index].message)) }
    }
}

// MARK: Commands

extension SimulatedKernel {
    /// Takes a command.
    public mutating func receive(_ bytes: some Sequence<UInt8>) -> [Output] {
        read(Array(bytes))
        return taken()
    }

    private mutating func read(_ bytes: [UInt8]) {
        guard bytes.count <= Self.commandByteLimit else {
            return send(.invalid("too large document (offset: \(Self.commandByteLimit))"))
        }
        do throws(JSONError) {
            follow(try JSONText(SecretBytes(count: bytes.count, in: .ordinary) { $0.copyBytes(from: bytes) }))
        } catch {
            // An array is JSON too, and has no command.
            let isArray = error.reason == .notAnObject && bytes.first { $0 > 0x20 } == UInt8(ascii: "[")
            let fault = error.reason == .unexpectedEnd ? "unterminated string" : "illegal value"
            send(.invalid(isArray ? Self.noCommand : "\(fault) (offset: \(error.offset))"))
        }
    }

    private static let noCommand = "Command cannot be undefined"

    private mutating func follow(_ json: borrowing JSONText) {
        guard json.kind(of: "cmd") == .string, let name = json.text(of: "cmd"), !name.isEmpty else {
            return send(.invalid(Self.noCommand))
        }
        // INTERRUPT exists only on iOS.
        guard let command = Command.Name(rawValue: name), command != .interrupt, command.level <= level else {
            return send(.unknownCommand(name))
        }
        guard isAllowed(command) else { return send(.badState(command: name)) }
        switch command {
        case .getInfo: send(.info(Self.version))
        case .getAPILevel:
            send(.apiLevel(APILevelMessage(available: available.map(\.rawValue), current: level.rawValue)))
        case .setAPILevel: setLevel(json)
        case .getReader: getReader(json)
        case .getReaderList: send(.readerList(readers.filter(\.isAttached).map(\.message)))
        case .getStatus: send(.status(status))
        case .runAuth: startAuthentication(json)
        case .runChangePIN: startPINChange(json)
        case .getAccessRights: send(.accessRights(accessRights()))
        case .setAccessRights: setAccessRights(json)
        case .getCertificate: if let certificate = SimulatedService.certificate { send(certificate) }
        case .accept: accept()
        case .cancel: finish(.cancelled)
        case .setPIN, .setNewPIN, .setCAN, .setPUK: enter(json)
        case .setCard: setCard(json)
        case .continueWorkflow: continueWorkflow()
        case .interrupt: break
        }
    }

    private func isAllowed(_ command: Command.Name) -> Bool {
        switch command {
        case .runAuth, .runChangePIN: workflow == nil
        case .cancel: workflow != nil
        default: command.prompt == nil || command.prompt == workflow?.prompt
        }
    }

    private mutating func setLevel(_ json: borrowing JSONText) {
        let chosen = json.text(of: "level").flatMap { Int($0) }.flatMap(APILevel.init)
        let error: String? =
            switch json.kind(of: "level") {
            case nil: "Level cannot be undefined"
            case .number: chosen.map(available.contains) == true ? nil : "Unknown level"
            default: "Invalid level"
            }
        if error == nil, let chosen { level = chosen }
        send(.apiLevel(APILevelMessage(error: error, current: level.rawValue)))
    }

    private mutating func getReader(_ json: borrowing JSONText) {
        switch json.kind(of: "name") {
        case nil: text(#"{"msg":"READER","error":"Name cannot be undefined"}"#)
        case .string:
            let name = json.text(of: "name") ?? ""
            let known = readers.first { $0.name == name && $0.isAttached }
            send(.reader(known?.message ?? ReaderMessage(name: name, attached: false)))
        default: text(#"{"msg":"READER","error":"Invalid name"}"#)
        }
    }

    private mutating func setCard(_ json: borrowing JSONText) {
        switch json.kind(of: "name") {
        case nil: return send(.insertCard(error: "Name cannot be undefined"))
        case .string: break
        default: return send(.insertCard(error: "Invalid name"))
        }
        guard let name = json.text(of: "name"), readers.contains(where: { $0.name == name && $0.isInsertable }),
            let card = Scenario.defaultCard
        else { return send(.insertCard(error: "Invalid name")) }
        follow(.insert(card, reader: name))
    }

    private mutating func continueWorkflow() {
        guard let kind = workflow?.kind, let paused = workflow?.paused else { return }
        workflow?.paused = nil
        workflow?.prompt = paused
        if paused.secret(in: kind) == nil { ask(paused) } else { requireCard() }
    }
}
