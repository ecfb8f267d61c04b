internal import CardCompanion
internal import DocumentValidation
internal import EMRTD
internal import Logging
internal import SecureMemory

/// One session: lets the state machine of document 003 speak over a WebSocket. It is used on the event loop of its connection only.
final class DocumentSession: WebSocketEndPoint {
    /// What a session asks of the service: the first at START, the second at FINISH, the last if it fails before.
    enum Call: Sendable {
        case admit(StartMessage)
        case conclude(DocumentEvidence)
        case report(SessionFailure)
    }

    /// The stream has at most one of each, so it needs no limit. It ends with the session.
    static func makeCalls() -> (AsyncStream<Call>, AsyncStream<Call>.Continuation) {
        AsyncStream.makeStream()
    }

    private static let monitoringBytesPerToken = 1024

    private let sessions: DocumentSessions
    private unowned let webSocket: WebSocketHandler
    private var session: ValidationSession
    private let calls: AsyncStream<Call>.Continuation
    private let metrics: DocumentSessionMetrics
    private let logger: Logger
    private let openedAt = ContinuousClock.now
    private var isOver = false
    /// Whether the service has been asked something, and has not answered.
    private var awaitsService = false
    /// Whether the service has nothing of the session any more: it was told to release it, or has given the result.
    private var isReleased = false
    /// What the client is told then; nil if there is nothing to tell, or no more.
    private var closure: Closure?
    /// What the client has sent for diagnostics. The texts themselves are not kept.
    private var monitoring = (isWanted: false, count: 0, byteCount: 0)
    /// A message takes a token, and owes one more for each further KiB.
    private var monitoringLimit: TokenBucket

    init(
        _ sessions: DocumentSessions, _ webSocket: WebSocketHandler, _ session: ValidationSession,
        _ calls: AsyncStream<Call>.Continuation, _ metrics: DocumentSessionMetrics, _ logger: Logger
    ) {
        self.sessions = sessions
        self.webSocket = webSocket
        self.session = session
        self.calls = calls
        self.metrics = metrics
        self.logger = logger
        monitoringLimit = TokenBucket(sessions.settings.monitoringRate, at: .now)
        metrics.begin()
    }
}

// MARK: What the client sends

extension DocumentSession {
    var textByteLimit: Int { ClientMessage.byteLimit }
    var binaryByteLimit: Int { session.binaryByteLimit }
    var deadline: Instant? { session.deadline }

    func receive(text: consuming SecretBytes) { follow(session.receive(text: text, at: .now)) }

    func receive(binary: consuming SecretBytes) { follow(session.receive(binary: Octets(binary), at: .now)) }

    func receive(partByteCount: Int) { follow(session.receive(partByteCount: partByteCount)) }

    func receive(failure: WebSocketReader.Failure) {
        switch failure {
        case .invalidFrames: follow(session.end(.invalidFrames))
        case .invalidText: follow(session.end(.invalidText))
        case .tooLong: follow(session.refuse(.protocolError))
        }
    }

    func timeOut(at now: Instant) { follow(session.timeOut(at: now)) }

    func stop() { follow(session.stop()) }

    func end(by client: WebSocketEnd) {
        switch client {
        case .lost:
            follow(session.end(by: .connectionLost))
            closure = nil
            finish(.lost)
        case .closed(let reason):
            follow(session.end(by: .closed(reason: reason)))
            closure = nil
            finish(.closedByClient)
        }
    }
}

// MARK: What the service says

extension DocumentSession {
    func accept() {
        awaitsService = false
        follow(session.accept())
    }

    func finish(result: SharedSecret) {
        awaitsService = false
        isReleased = true
        follow(session.finish(result: result))
    }

    func refuse(_ reason: CloseReason) {
        awaitsService = false
        follow(session.refuse(reason))
    }

    /// The service has nothing of the session any more.
    func release() {
        isReleased = true
        tellEnd()
    }
}

// MARK: What is done

extension DocumentSession {
    private func follow(_ actions: [ValidationSession.Action]) {
        guard !actions.isEmpty else { return }
        webSocket.gather {
            for action in actions { follow(action) }
        }
    }

    private func follow(_ action: ValidationSession.Action) {
        switch action {
        case .admit(let start): admit(start)
        case .send(let message): send(message)
        case .sendBinary(let message): webSocket.send(binary: message.encoded.bytes)
        case .verify(let evidence): ask(.conclude(evidence))
        case .report(let failure): calls.yield(.report(failure))
        case .monitoring(let byteCount): count(monitoringByteCount: byteCount)
        case .close(let closure): close(closure)
        }
    }

    private func admit(_ start: StartMessage) {
        monitoring.isWanted = start.wantsDiagnostics
        guard sessions.charge(clientId: start.clientId) else {
            logger.debug("A client opens too many document sessions")
            return refuse(.serverError)
        }
        ask(.admit(start))
    }

    private func count(monitoringByteCount byteCount: Int) {
        guard monitoringLimit.take(at: .now) else { return follow(session.refuse(.protocolError)) }
        monitoringLimit.owe(byteCount / Self.monitoringBytesPerToken, at: .now)
        monitoring.count += 1
        monitoring.byteCount += byteCount
    }

    private func ask(_ call: Call) {
        awaitsService = true
        calls.yield(call)
    }

    private func send(_ message: ServerMessage) {
        do throws(CloseReason) {
            webSocket.send(text: try message.text().bytes)
        } catch {
            refuse(error)
        }
    }

    /// The client is told when the service has released the session, so that it can begin the next one at once. But if the service
    /// still works, the client does not wait for that.
    private func close(_ closure: Closure) {
        // The connection can have been lost while the result was being sent. Then there is nobody to tell.
        guard !isOver else { return }
        self.closure = closure
        finish(.closed(closure))
        if isReleased || awaitsService { tellEnd() }
    }

    private func tellEnd() {
        guard let closure else { return }
        self.closure = nil
        webSocket.gather {
            send(.close(closure))
            webSocket.close(code: closure.code, reason: closure.reason)
        }
    }

    /// Nothing more is asked of the service. The client may still have to be told, and to answer the close frame.
    private func finish(_ end: DocumentSessionMetrics.End) {
        guard !isOver else { return }
        isOver = true
        calls.finish()
        metrics.end(end)
        var metadata: Logger.Metadata = [
            "end": "\(end.name)", "milliseconds": "\(Int(openedAt.duration(to: .now) / .milliseconds(1)))",
        ]
        if monitoring.isWanted {
            metadata["monitoring"] = "\(monitoring.count)"
            metadata["monitoring_bytes"] = "\(monitoring.byteCount)"
        }
        logger.log(level: monitoring.isWanted ? .info : .debug, "A document session has ended", metadata: metadata)
    }
}
