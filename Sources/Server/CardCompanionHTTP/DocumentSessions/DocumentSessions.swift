internal import CardCompanion
internal import Cryptography
internal import DocumentValidation
internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import NIOCore
internal import SecureMemory
internal import Synchronization

/// The sessions of document verification on this server (document 003).
///
/// A session is the answer to a request: it runs inside the task of its connection, and counts as an open request until it ends.
final class DocumentSessions: Sendable {
    /// What a client whose address has too many sessions is told to wait, in seconds.
    private static let retryAfterSeconds = 10

    private let service: any DocumentValidationService
    let settings: DocumentSessionSettings
    private let callers: CallerLimits
    private let places: ConnectionQuota
    private let clients: Mutex<TokenBuckets<String>>
    private let memory: FileMemory
    private let draining: Draining
    private let metrics = DocumentSessionMetrics()

    init(
        _ service: any DocumentValidationService, _ settings: DocumentSessionSettings, _ callers: CallerLimits,
        proxies: [AddressRange], _ draining: Draining, _ logger: Logger
    ) {
        self.service = service
        self.settings = settings
        self.callers = callers
        self.draining = draining
        places = ConnectionQuota(
            of: "document sessions", limit: settings.addressSessions, totalLimit: settings.sessions, proxies: proxies,
            logger: logger)
        clients = Mutex(TokenBuckets(settings.clientRate, at: .now))
        memory = FileMemory(byteLimit: settings.fileByteCount)
    }

    /// Begins a session.
    ///
    /// - Returns: the answer 101, whose body is the session.
    /// - Throws: ``Problem`` 403, 426, 429; `ServiceUnavailable` if the server stops.
    func open(_ request: Request, _ context: ServiceContext) async throws -> Response {
        guard try await WebSocketHandler.on(context.channel, { _ in () }) != nil else {
            throw WebSocketHandshake.requiresHTTP1
        }
        let fields = try WebSocketHandshake.answer(to: request)
        guard !draining.isUnderWay else { throw ServiceUnavailable("the server is stopping") }
        try callers.charge(request, context)
        let address = callers.address(of: request, context)
        guard let place = places.place(for: address) else {
            throw Problem(
                .tooManyRequests, "Too many open document sessions.",
                headers: [.retryAfter: String(Self.retryAfterSeconds)])
        }
        let channel = context.channel
        _ = try await WebSocketHandler.on(channel) { handler in
            try channel.pipeline.syncOperations.handler(type: ConnectionWatch.self).handOver()
            handler.begin()
        }
        let logger = context.logger
        return Response(
            status: .switchingProtocols, headers: fields,
            body: ResponseBody { [self] _ in
                defer { withExtendedLifetime(place) {} }
                try await run(on: channel, from: address, logger)
            })
    }

    /// - Returns: whether a client may begin one more session.
    func charge(clientId: String) -> Bool {
        clients.withLock { $0.charge(clientId, at: .now) } == nil
    }

    /// Speaks until the session is over.
    private func run(on channel: any Channel, from address: IPAddress?, _ logger: Logger) async throws {
        let (calls, continuation) = DocumentSession.makeCalls()
        let session = try await WebSocketHandler.on(channel) { [self] handler in
            let session = DocumentSession(
                self, handler,
                ValidationSession(
                    challenge: SecureRandom.bytes(count: ValidationSession.challengeByteCount), memory: memory,
                    times: settings.times, openedAt: .now),
                continuation, metrics, logger)
            handler.open(session, .init(write: settings.writeLimit, close: settings.closeLimit))
            return NIOLoopBound(session, eventLoop: channel.eventLoop)
        }
        guard let session else { return }
        // Verification takes a while. On the event loop, other connections would wait for it.
        await withTaskExecutorPreference(globalConcurrentExecutor) {
            await serve(calls, of: session, from: address, with: service)
        }
        try await channel.closeFuture.get()
    }

    /// Does what a session asks of the service. A client that goes away cancels nothing.
    private func serve<Service: DocumentValidationService>(
        _ calls: AsyncStream<DocumentSession.Call>, of session: NIOLoopBound<DocumentSession>, from address: IPAddress?,
        with service: Service
    ) async {
        @Sendable func tell(_ news: @escaping @Sendable (DocumentSession) -> Void) {
            session.eventLoop.execute { news(session.value) }
        }
        var admission: Service.Admission?
        var failure: SessionFailure?
        for await call in calls {
            do throws(CloseReason) {
                switch call {
                case .admit(let start):
                    admission = try await admit(start, from: address, with: service)
                    tell { $0.accept() }
                case .conclude(let evidence):
                    guard let admitted = admission else { throw .serverError }
                    let result = try await service.conclude(evidence, for: admitted)
                    admission = nil
                    tell { $0.finish(result: result) }
                case .report(let shown): failure = shown
                }
            } catch {
                tell { $0.refuse(error) }
            }
        }
        guard let admission else { return tell { $0.release() } }
        // Also if the server stops: otherwise the check would stay taken.
        let result = await uncancelled { [self, failure] in await end(admission, failure, with: service) }
        // The files need no room while the result is posted.
        failure = nil
        tell { $0.release() }
        if let result { await uncancelled { await service.post(result, for: admission) } }
    }

    private func admit<Service: DocumentValidationService>(
        _ start: StartMessage, from address: IPAddress?, with service: Service
    ) async throws(CloseReason) -> Service.Admission {
        do throws(CloseReason) {
            return try await service.admit(start)
        } catch {
            if error == .invalidClientId { callers.chargeUnknownClient(to: address) }
            throw error
        }
    }

    /// Ends a session that has no result.
    ///
    /// - Returns: what is left to post.
    private func end<Service: DocumentValidationService>(
        _ admission: Service.Admission, _ failure: SessionFailure?, with service: Service
    ) async -> SharedSecret? {
        if let failure { return await service.record(failure, for: admission) }
        await service.release(admission)
        return nil
    }
}
