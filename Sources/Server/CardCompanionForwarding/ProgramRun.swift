internal import CardCompanionModel
internal import CardCompanionStore
internal import Logging
internal import ServiceLifecycle
internal import Subprocess
internal import Synchronization
internal import SystemPackage

/// One run of the bank's program.
final class ProgramRun: Sendable {
    private static let pause = Duration.seconds(1)
    private static let pauseAfterFailure = Duration.seconds(5)
    /// How long the program can take to end after SIGTERM.
    private static let endLimit = Duration.seconds(5)

    private typealias Running = Execution<CustomWriteInput, SequenceOutput, FileDescriptorOutput>

    private let settings: ConnectorSettings
    private let store: Store
    private let logger: Logger
    private let conversation: Mutex<Conversation>
    private let isOver = Atomic(false)

    init(settings: ConnectorSettings, store: Store, logger: Logger) {
        self.settings = settings
        self.store = store
        self.logger = logger
        conversation = Mutex(Conversation(limit: settings.limit, answerLimit: .seconds(settings.answerSeconds)))
    }

    /// Runs the program until it ends, fails, or the connector stops.
    ///
    /// - Returns: nil if the connector stops.
    func untilItEnds() async -> ProgramProblem? {
        let problem: ProgramProblem?
        do {
            problem = try await Subprocess.run(
                configuration, input: .inputWriter, output: .sequence, error: .currentStandardError
            ) { await converse(with: $0) }.closureResult
        } catch {
            problem = .failed("\(error)")
        }
        var random = SystemRandomNumberGenerator()
        // If the database is away, the leases end by themselves.
        for report in conversation.withLock({ $0.abandon(using: &random) }) {
            guard await send(report) != nil else { break }
        }
        return problem
    }

    /// The program gets a session of its own, so that Ctrl-C in the terminal reaches only this process.
    private var configuration: Configuration {
        var options = PlatformOptions()
        options.createSession = true
        options.teardownSequence = Self.teardown
        let variables = settings.environment.map { (Environment.Key(stringLiteral: $0.key), $0.value) }
        return Configuration(
            executable: .path(FilePath(settings.program)), arguments: Arguments(settings.arguments),
            environment: .custom(Dictionary(uniqueKeysWithValues: variables)), platformOptions: options)
    }

    private static var teardown: [TeardownStep] {
        [.gracefulShutDown(toProcessGroup: true, allowedDurationToNextStep: endLimit)]
    }

    private func converse(with program: Running) async -> ProgramProblem? {
        logger.info(
            "The bank's program is started",
            metadata: ["program": "\(settings.program)", "bank_id": "\(settings.bankId)"])
        return await withTaskGroup(of: ProgramProblem?.self) { group in
            group.addTask { await self.takeAnswers(program.standardOutput) }
            group.addTask { await self.handOut(to: program.standardInputWriter) }
            let problem = await group.next() ?? nil
            // It may have closed its input itself.
            try? await program.standardInputWriter.finish()
            await program.teardown(using: Self.teardown)
            // Nothing is cancelled: a lease that is under way may be committed, and its PINs are put off with the others.
            isOver.store(true, ordering: .relaxed)
            return problem
        }
    }

    private func takeAnswers(_ output: SubprocessOutputSequence) async -> ProgramProblem? {
        do {
            let lines = output.strings(
                separatedBy: .unicodeScalarSequence(["\n"]), bufferingPolicy: .maxLineLength(ProgramAnswer.byteLimit))
            for try await line in lines { try await take(line) }
            return .ended
        } catch let problem as ProgramProblem {
            return problem
        } catch {
            return .failed("its answers cannot be read: \(error)")
        }
    }

    private func take(_ line: String) async throws(ProgramProblem) {
        let answer = try ProgramAnswer(line)
        var random = SystemRandomNumberGenerator()
        let (report, wasAsked) = conversation.withLock { $0.end(with: answer, using: &random) }
        let outcome = await send(report)
        try conversation.withLock { (conversation) throws(ProgramProblem) in
            try conversation.note(outcome, wasAsked: wasAsked)
        }
    }

    /// - Returns: nil if the database does not take it.
    private func send(_ report: ForwardedPINReport) async -> ForwardedPINOutcome? {
        var metadata: Logger.Metadata = [
            "unique_id": "\(report.uniqueId)", "event": "\(report.event)", "state": "\(report.stage.rawValue)",
        ]
        if let reason = report.reason { metadata["reason"] = "\(reason)" }
        do {
            let outcome = try await store.reportForwardedPIN(report, bankId: settings.bankId)
            logger.log(
                level: report.stage == .failed ? .warning : .info,
                outcome == .otherPIN
                    ? "A defined PIN was replaced before it was reported" : "A defined PIN is reported",
                metadata: metadata)
            return outcome
        } catch {
            // The lease ends, or the time comes when the PIN is due, and the program is asked again.
            logger.warning(
                "A defined PIN could not be reported",
                metadata: metadata.merging(["error": "\(error)"]) { $1 })
            return nil
        }
    }

    /// Hands out what is due until the program is too slow or gone, or the connector stops.
    private func handOut(to writer: StandardInputWriter) async -> ProgramProblem? {
        while !isOver.load(ordering: .relaxed), !Task.isCancelled {
            guard !Task.isShuttingDownGracefully else { return await lastAnswers() }
            if let event = conversation.withLock({ $0.overdue(at: .now) }) { return .tooSlow(event: event) }
            let due = await lease()
            // All of them first: what is not written any more is put off with the others.
            for pin in due ?? [] { conversation.withLock { $0.begin(pin, at: .now) } }
            for pin in due ?? [] {
                do {
                    _ = try await writer.write(ProgramLine(bankId: settings.bankId, pin: pin).bytes)
                } catch {
                    return .ended
                }
            }
            if due?.isEmpty == false { continue }
            let pause = due == nil ? Self.pauseAfterFailure : Self.pause
            await cancelWhenGracefulShutdown { try? await Task.sleep(for: pause) }
        }
        return nil
    }

    /// - Returns: nil if the database cannot be asked.
    private func lease() async -> [ForwardedPIN]? {
        let room = conversation.withLock { $0.room }
        guard room > 0 else { return [] }
        do {
            return try await store.leaseForwardedPINs(
                bankId: settings.bankId, limit: room, leaseSeconds: settings.leaseSeconds)
        } catch {
            logger.warning("Defined PINs could not be read", metadata: ["error": "\(error)"])
            return nil
        }
    }

    /// The connector stops: it waits for the answers to what the program was given.
    private func lastAnswers() async -> ProgramProblem? {
        let deadline = ContinuousClock.now + .seconds(Connector.stopSeconds)
        while !isOver.load(ordering: .relaxed), !Task.isCancelled, ContinuousClock.now < deadline,
            conversation.withLock({ $0.isWaiting })
        {
            try? await Task.sleep(for: .milliseconds(50))
        }
        return nil
    }
}
