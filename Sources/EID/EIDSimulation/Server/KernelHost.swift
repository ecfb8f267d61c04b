/// The one kernel of a server, and the one app that is connected to it. Another app gets HTTP 429.
public actor KernelHost {
    /// How many messages can wait to be sent. An app that leaves more unread is disconnected.
    static let waitingOutputLimit = 1024

    private var kernel: SimulatedKernel
    private var app: AsyncStream<SimulatedKernel.Output>.Continuation?
    private var isTaken = false

    /// Whether the program is closed to apps, or busy with its user.
    nonisolated let scenario: Scenario

    /// A kernel at the beginning of a scenario.
    public init(_ scenario: Scenario = Scenario()) {
        self.scenario = scenario
        kernel = SimulatedKernel(scenario)
    }

    /// Lets something happen to a reader, a card or the connection.
    public func perform(_ action: Scenario.Action) {
        yield(kernel.perform(action))
    }

    /// An app asks for the connection.
    ///
    /// - Returns: whether it gets it. Then ``leave()`` must follow.
    func take() -> Bool {
        guard !isTaken else { return false }
        isTaken = true
        return true
    }

    /// What the kernel sends to the app, once it is connected.
    func outputs() -> AsyncStream<SimulatedKernel.Output> {
        let (outputs, continuation) = AsyncStream.makeStream(
            of: SimulatedKernel.Output.self, bufferingPolicy: .bufferingOldest(Self.waitingOutputLimit))
        app = continuation
        kernel.connect()
        return outputs
    }

    func receive(_ command: [UInt8]) {
        yield(kernel.receive(command))
    }

    /// The app is gone.
    func leave() {
        app?.finish()
        app = nil
        isTaken = false
        kernel.disconnect()
    }

    private func yield(_ outputs: [SimulatedKernel.Output]) {
        for output in outputs {
            if case .dropped = app?.yield(output) { app?.finish() }
        }
    }
}
