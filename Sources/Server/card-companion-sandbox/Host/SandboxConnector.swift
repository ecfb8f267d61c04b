import Logging
import Retries
import ServiceLifecycle
import Subprocess
import SystemPackage

/// Runs the bank's connector beside the server, in a process of its own as at a bank, with the host as the bank's program. It is started
/// again whenever it ends, and ends with the server.
struct SandboxConnector: Service, CustomStringConvertible {
    private static let backOff = BackOff(first: .seconds(1), longest: .seconds(30))
    /// How long it can take to end after SIGTERM.
    private static let endLimit = Duration.seconds(10)
    /// If it has run so long, its next end is the first.
    private static let steady = Duration.seconds(60)

    let description = "connector"
    private let sandbox: Sandbox
    private let environment: [String: String]
    private let logger: Logger
    private let urls: AsyncStream<String>
    private let urlGiver: AsyncStream<String>.Continuation

    /// - Parameter environment: the settings that the server has from its arguments.
    init(of sandbox: Sandbox, environment: [String: String], logger: Logger) {
        self.sandbox = sandbox
        self.environment = environment
        self.logger = logger
        (urls, urlGiver) = AsyncStream.makeStream()
    }

    /// The server listens.
    func start(at url: String) {
        urlGiver.yield(url)
        urlGiver.finish()
    }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            for await url in urls { await keepRunning(at: url) }
        }
    }

    private func keepRunning(at url: String) async {
        var failures = 0
        var random = SystemRandomNumberGenerator()
        while !Task.isCancelled {
            let start = ContinuousClock.now
            let end = await runOnce(at: url)
            guard !Task.isCancelled else { return }
            failures = start.duration(to: .now) < Self.steady ? failures + 1 : 1
            let delay = Self.backOff.delay(afterFailures: failures, using: &random)
            logger.warning(
                "The bank's connector has ended, and is started again",
                metadata: ["end": "\(end)", "after": "\(delay)"])
            try? await Task.sleep(for: delay)
        }
    }

    private func configuration(_ url: String) throws -> Configuration {
        var options = PlatformOptions()
        // Ctrl-C in the terminal reaches the server only, which ends the connector.
        options.createSession = true
        options.teardownSequence = [.gracefulShutDown(allowedDurationToNextStep: Self.endLimit)]
        let variables = environment.map { (Environment.Key(stringLiteral: $0.key), Optional($0.value)) }
        return Configuration(
            executable: .path(FilePath(try ForwardCommand.program)),
            arguments: ["forward", "--url", url, "--sandbox", sandbox.directory],
            environment: .inherit.updating(Dictionary(uniqueKeysWithValues: variables)), platformOptions: options)
    }

    /// - Returns: how it has ended.
    private func runOnce(at url: String) async -> String {
        do {
            let result = try await Subprocess.run(
                try configuration(url), input: .inputWriter, output: .sequence, error: .currentStandardError
            ) { connector in
                // Its input stays open as long as the server lives. Its output ends when the connector does.
                for try await _ in connector.standardOutput {}
            }
            return "\(result.terminationStatus)"
        } catch {
            return "\(error)"
        }
    }
}
