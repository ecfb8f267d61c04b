package import CardCompanionModel
package import CardCompanionStore
package import Logging
internal import Retries
internal import ServiceLifecycle

/// What a bank's connector does.
package struct ConnectorSettings: Sendable {
    /// How many PINs the program can have at once.
    package static let limitRange = 1...64
    /// How long the program can take for each.
    package static let answerSecondsRange = 1...3600

    package let bankId: Identifier
    /// The bank's program: an absolute path, and its arguments.
    package let program: String
    package let arguments: [String]
    package let limit: Int
    package let answerSeconds: Int
    /// The program's environment.
    package var environment: [String: String] = [:]

    package init(bankId: Identifier, program: String, arguments: [String], limit: Int, answerSeconds: Int) {
        self.bankId = bankId
        self.program = program
        self.arguments = arguments
        self.limit = limit
        self.answerSeconds = answerSeconds
    }

    /// How long a PIN belongs to this connector: longer than the program can have it.
    var leaseSeconds: Int { answerSeconds + Connector.stopSeconds + 2 }
}

/// A bank's connector: it hands each defined PIN to a program of the bank's until that has said what became of it. Any number of them
/// share the work. If one dies, its leases end, and the PINs are handed out again.
package struct Connector: Service, CustomStringConvertible {
    /// How long the program can take for its last answers when the connector stops.
    static let stopSeconds = 10

    /// If the program has run so long, its next end is the first.
    private static let steady = Duration.seconds(60)

    private static let backOff = BackOff(first: .seconds(1), longest: .seconds(60), jitter: 0.8...1.2)

    /// Its name in the log.
    package let description = "connector"

    private let settings: ConnectorSettings
    private let store: Store
    private let logger: Logger

    package init(settings: ConnectorSettings, store: Store, logger: Logger) {
        self.settings = settings
        self.store = store
        self.logger = logger
    }

    package func run() async throws {
        var failures = 0
        while !Task.isCancelled, !Task.isShuttingDownGracefully {
            let run = ProgramRun(settings: settings, store: store, logger: logger)
            let start = ContinuousClock.now
            guard let problem = await run.untilItEnds() else { return }
            failures = start.duration(to: .now) < Self.steady ? failures + 1 : 1
            var random = SystemRandomNumberGenerator()
            let delay = Self.backOff.delay(afterFailures: failures, using: &random)
            logger.error(
                "The bank's program is started again",
                metadata: ["program": "\(settings.program)", "problem": "\(problem)", "after": "\(delay)"])
            await cancelWhenGracefulShutdown { try? await Task.sleep(for: delay) }
        }
    }
}
