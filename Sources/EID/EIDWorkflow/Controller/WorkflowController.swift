internal import Dispatch
public import EIDInterface
public import Foundation

/// The workflows of the eID card for apps (document 002): functions for commands, ``WorkflowCallbacks`` or ``events()`` for
/// what happens. A command that is not allowed, or a value of the wrong form, is answered as the AusweisApp answers it, but
/// not sent.
///
/// Its functions can be called from every thread. What one thread calls is done in that order, on the main actor, where the
/// callbacks are called too. If the caller is on the main thread, it is done at once.
@MainActor
public final class WorkflowController {
    private enum Link {
        case stopped
        case negotiating(LevelNegotiation)
        case open(Session)
    }

    /// Commands that wait to be sent, and events that wait to be told.
    private enum Outgoing: Sendable {
        case command(WipedBytes)
        case told(WorkflowEvent)
    }

    private struct WeakCallbacks {
        weak var object: (any WorkflowCallbacks)?
    }

    /// How many commands wait to be sent.
    nonisolated static let waitingCommandLimit = 64
    /// How many events wait for an app that reads ``events()``. If more come, its sequence ends.
    nonisolated static let waitingEventLimit = 1024

    private let transport: @MainActor () -> (any KernelTransport)?
    private let patience: Patience
    private var link = Link.stopped {
        didSet { started.value = if case .open = link { true } else { false } }
    }
    private nonisolated let started = Locked(false)
    private var running: Task<Void, Never>?
    private var outgoing: AsyncStream<Outgoing>.Continuation?
    private var callbacks: [WeakCallbacks] = []
    private var readers: [AsyncStream<WorkflowEvent>.Continuation] = []

    /// - Parameter transport: the way to the AusweisApp.
    public nonisolated convenience init(transport: any KernelTransport) {
        self.init(patience: Patience()) { transport }
    }

    nonisolated init(patience: Patience, transport: @escaping @MainActor () -> (any KernelTransport)?) {
        self.patience = patience
        self.transport = transport
    }

    /// Whether the controller can be used. Otherwise functions fail.
    public nonisolated var isStarted: Bool { started.value }

    /// Connects to the AusweisApp, and agrees on the interface's level. Then `onStarted` is called. A second start does
    /// nothing.
    public nonisolated func start() {
        onMain { controller in
            guard controller.running == nil else { return }
            controller.running = Task { await controller.connect() }
        }
    }

    /// Disconnects. A workflow is cancelled. A second stop does nothing.
    public nonisolated func stop() {
        onMain { controller in
            controller.running?.cancel()
            controller.running = nil
            controller.close()
        }
    }

    /// Adds callbacks. The same ones are not added twice.
    public nonisolated func registerCallbacks(_ callbacks: any WorkflowCallbacks) {
        onMain { controller in
            guard !controller.callbacks.contains(where: { $0.object === callbacks }) else { return }
            controller.callbacks.append(WeakCallbacks(object: callbacks))
        }
    }

    /// Removes callbacks.
    public nonisolated func unregisterCallbacks(_ callbacks: any WorkflowCallbacks) {
        onMain { $0.callbacks.removeAll { $0.object === callbacks || $0.object == nil } }
    }

    /// All events from now on. Each caller gets all of them.
    public nonisolated func events() -> AsyncStream<WorkflowEvent> {
        let (events, continuation) = AsyncStream.makeStream(
            of: WorkflowEvent.self, bufferingPolicy: .bufferingOldest(Self.waitingEventLimit))
        onMain { $0.readers.append(continuation) }
        return events
    }

    /// Does something on the main actor. The main queue keeps the order of what one thread asks for, which tasks do not.
    private nonisolated func onMain(_ work: @escaping @MainActor @Sendable (WorkflowController) -> Void) {
        if MainQueue.isCurrent {
            MainActor.assumeIsolated { work(self) }
        } else {
            DispatchQueue.main.async { MainActor.assumeIsolated { work(self) } }
        }
    }

    /// Tells all callbacks, and all readers of ``events()``.
    private func tell(_ event: WorkflowEvent) {
        for callbacks in callbacks.compactMap(\.object) { callbacks.receive(event) }
        readers.removeAll { reader in
            switch reader.yield(event) {
            case .enqueued: return false
            case .dropped, .terminated: break
            @unknown default: break
            }
            reader.finish()
            return true
        }
    }
}

/// Whether the caller is on the main queue. On Linux that is not always the main thread.
private enum MainQueue {
    private static let key: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    static var isCurrent: Bool { Thread.isMainThread || DispatchQueue.getSpecific(key: key) == true }
}

// MARK: The connection

extension WorkflowController {
    private func connect() async {
        let fault: WorkflowEvent?
        do {
            guard let transport = transport() else { throw TransportError.unreachable }
            try await transport.withConnection { try await self.serve($0) }
            fault = .fault("start", "The AusweisApp has closed the connection")
        } catch let error as Fault {
            fault = .fault("start", error.text)
        } catch TransportError.refused(let status) {
            fault = .fault("start", "The AusweisApp refuses the connection (HTTP status \(status))")
        } catch TransportError.unreachable {
            fault = .fault("start", "There is no AusweisApp")
        } catch {
            fault = .fault("start", "The connection to the AusweisApp was lost")
        }
        // After 'stop' another connection may be open already.
        guard !Task.isCancelled else { return }
        running = nil
        close()
        if let fault { tell(fault) }
    }

    private func close() {
        link = .stopped
        outgoing?.finish()
        outgoing = nil
        patience.forget()
    }

    private struct Fault: Error {
        let text: String
    }

    private func serve(_ connection: KernelConnection) async throws {
        let (waiting, continuation) = AsyncStream.makeStream(
            of: Outgoing.self, bufferingPolicy: .bufferingOldest(Self.waitingCommandLimit))
        guard !Task.isCancelled else { return }
        outgoing = continuation
        let negotiation = LevelNegotiation()
        link = .negotiating(negotiation)
        transmit(negotiation.first)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await self.pass(waiting, to: connection) }
            group.addTask {
                for try await bytes in connection.messages { try await self.receive(bytes) }
            }
            group.addTask { [patience] in
                let seconds = try await patience.end()
                throw Fault(text: "No answer from the AusweisApp within \(seconds) seconds")
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    private func pass(_ waiting: AsyncStream<Outgoing>, to connection: KernelConnection) async throws {
        for await outgoing in waiting {
            switch outgoing {
            case .command(let text): try await connection.send(text)
            case .told(let event): tell(event)
            }
        }
    }

    /// Sends a command, and starts the time for the answer.
    private func transmit(_ command: Command) {
        queue(.command(command.text))
        watch()
    }

    private func queue(_ item: Outgoing) {
        guard case .dropped = outgoing?.yield(item) else { return }
        outgoing?.finish()
    }

    /// Starts the time for the next message.
    private func watch() {
        switch link {
        case .stopped: patience.forget()
        case .negotiating: patience.begin(SessionLimits.negotiationSeconds)
        case .open(let session):
            if let seconds = session.patienceSeconds { patience.begin(seconds) } else { patience.forget() }
        }
    }

    private func receive(_ bytes: Data) throws {
        // After 'stop' a message of the old connection means nothing to the next one.
        try Task.checkCancellation()
        let message: Message
        do throws(MessageError) {
            message = try Message(parsing: bytes)
        } catch {
            switch error {
            case .malformed(let name): tell(.fault(name, "Malformed message"))
            case .missingReader(let name): tell(.fault(name, "Missing reader object"))
            case .notAMessage, .tooLong: tell(.fault("message", "Malformed message"))
            }
            return
        }
        switch link {
        case .stopped: break
        case .negotiating(let negotiation): try negotiate(negotiation, message)
        case .open(var session):
            guard session.receive(message) else { return }
            link = .open(session)
            watch()
            if let event = WorkflowEvent(message) { tell(event) }
        }
    }

    private func negotiate(_ negotiation: LevelNegotiation, _ message: Message) throws {
        guard case .apiLevel(let levels) = message else { return }
        var negotiation = negotiation
        let step = negotiation.receive(levels)
        link = .negotiating(negotiation)
        switch step {
        case .send(let command): transmit(command)
        case .agreed(let level):
            link = .open(Session(level: level))
            watch()
            tell(.started)
        case .failed: throw Fault(text: "The AusweisApp has no level of the interface that this app has")
        case nil: break
        }
    }
}

// MARK: Commands

extension WorkflowController {
    /// Sends a command if it is allowed.
    private nonisolated func send(_ command: Command) {
        onMain { $0.sendNow(command) }
    }

    private func sendNow(_ command: Command) {
        guard case .open(var session) = link else {
            return tell(.fault(command.name.rawValue, "AusweisApp2 SDK Wrapper not started"))
        }
        do throws(Session.Refusal) {
            try session.send(command)
            link = .open(session)
            transmit(command)
        } catch {
            // Not told at once: an app that answers at once again would never end.
            queue(.told(Self.answer(to: command, error, session)))
        }
    }

    private static func answer(
        to command: Command, _ refusal: Session.Refusal, _ session: Session
    ) -> WorkflowEvent {
        let name = command.name.rawValue
        let badState = WorkflowEvent.message(.badState(command: name))
        return switch refusal {
        case .badState: badState
        case .level: .fault(name, "The AusweisApp is too old for this command")
        case .value(let error): WorkflowEvent(asking: session.state.prompt, error: error) ?? badState
        }
    }

    /// A text that is not digits becomes a secret of a wrong length, so that the session says what is wrong.
    private nonisolated static func secret(_ text: String?) -> CardSecret? {
        text.flatMap { CardSecret(digits: $0) ?? CardSecret(digits: "0") }
    }

    private var hasStatus: Bool {
        if case .open(let session) = link { session.level >= .two } else { false }
    }

    /// Starts an authentication. `onAuthenticationStarted` or `onAuthenticationStartFailed` follows.
    ///
    /// - Parameters:
    ///   - tcTokenUrl: where the service's token is.
    ///   - developerMode: whether to skip checks that test cards do not pass.
    ///   - userInfoMessages: what the system's dialog on iOS says.
    ///   - status: whether `onStatus` is called, if the AusweisApp can do it.
    public nonisolated func startAuthentication(
        withTcTokenUrl tcTokenUrl: URL, withDeveloperMode developerMode: Bool = false,
        withUserInfoMessages userInfoMessages: AA2UserInfoMessages? = nil, withStatusMsgEnabled status: Bool = true
    ) {
        onMain { controller in
            let run = RunAuth(
                tcTokenURL: tcTokenUrl, messages: userInfoMessages, status: controller.hasStatus ? status : nil,
                developerMode: developerMode)
            controller.sendNow(.runAuth(run))
        }
    }

    /// Starts a PIN change. `onChangePinStarted` follows.
    ///
    /// - Parameters:
    ///   - userInfoMessages: what the system's dialog on iOS says.
    ///   - status: whether `onStatus` is called, if the AusweisApp can do it.
    public nonisolated func startChangePin(
        withUserInfoMessages userInfoMessages: AA2UserInfoMessages? = nil, withStatusMsgEnabled status: Bool = true
    ) {
        onMain { controller in
            let run = RunChangePIN(messages: userInfoMessages, status: controller.hasStatus ? status : nil)
            controller.sendNow(.runChangePIN(run))
        }
    }

    /// Says which optional rights the cardholder grants. `onAccessRights` follows.
    public nonisolated func setAccessRights(_ optionalAccessRights: [AccessRight]) {
        send(.setAccessRights(optionalAccessRights))
    }

    /// Asks for `onAccessRights` again.
    public nonisolated func getAccessRights() { send(.getAccessRights) }

    /// Closes the system's dialog on iOS, after PIN, CAN or PUK was asked for.
    public nonisolated func interrupt() { send(.interrupt) }

    /// Sends the PIN, and forgets it.
    ///
    /// - Parameter pin: 6 digits, in a PIN change also 5; nil if the reader has a keypad.
    public nonisolated func setPin(_ pin: String?) { send(.setPIN(Self.secret(pin))) }

    /// Sends the PIN that the card will have, and forgets it.
    ///
    /// - Parameter newPin: 6 digits; nil if the reader has a keypad.
    public nonisolated func setNewPin(_ newPin: String?) { send(.setNewPIN(Self.secret(newPin))) }

    /// Sends the PUK, and forgets it.
    ///
    /// - Parameter puk: 10 digits; nil if the reader has a keypad.
    public nonisolated func setPuk(_ puk: String?) { send(.setPUK(Self.secret(puk))) }

    /// Sends the CAN, and forgets it.
    ///
    /// - Parameter can: 6 digits; nil if the reader has a keypad.
    public nonisolated func setCan(_ can: String?) { send(.setCAN(Self.secret(can))) }

    /// The cardholder accepts the access rights and the certificate.
    public nonisolated func accept() { send(.accept) }

    /// Ends the workflow.
    public nonisolated func cancel() { send(.cancel) }

    /// Goes on after `onPause`.
    public nonisolated func continueWorkflow() { send(.continueWorkflow) }

    /// Asks for `onCertificate`.
    public nonisolated func getCertificate() { send(.getCertificate) }

    /// Puts a simulated card into a reader.
    public nonisolated func setCard(name: String, simulator: Simulator? = nil) { send(.setCard(name: name, simulator)) }

    /// Asks for `onStatus`.
    public nonisolated func getStatus() { send(.getStatus) }

    /// Asks for `onInfo`.
    public nonisolated func getInfo() { send(.getInfo) }

    /// Asks for `onReader`.
    public nonisolated func getReader(name: String) { send(.getReader(name: name)) }

    /// Asks for `onReaderList`.
    public nonisolated func getReaderList() { send(.getReaderList) }

    /// Does what a flow asks for. The app itself shows screens and sends reports.
    public nonisolated func perform(_ action: FlowAction) {
        switch action {
        case .send(.runAuth(let run)): startAuthentication(withTcTokenUrl: run.tcTokenURL)
        case .send(.runChangePIN): startChangePin()
        #if !os(iOS)
            // Only iOS has a dialog, and other kernels do not know the command.
            case .send(.interrupt): break
        #endif
        case .send(let command): send(command)
        case .show, .report: break
        }
    }
}
