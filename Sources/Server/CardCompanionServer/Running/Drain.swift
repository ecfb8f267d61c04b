internal import CardCompanionHTTP
internal import Logging
internal import ServiceLifecycle
internal import UnixSignals

/// On SIGTERM, lets load balancers and clients notice that the server stops, then waits for the requests that are under way, and
/// then ends, which stops everything. SIGINT, from a person at a terminal, stops at once.
struct Drain: Service, CustomStringConvertible {
    /// How long it waits for requests after that. A load balancer that finds the listener closed gives up the requests of this
    /// server, so that the listener stays open for them.
    static let requestLimit = Duration.seconds(20)
    private static let lookInterval = Duration.milliseconds(100)

    let description = "drain"
    let draining: Draining
    let seconds: Int
    let manager: ServiceManager?
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown {
            for await _ in await UnixSignalsSequence(trapping: .sigterm) {
                draining.begin()
                manager?.isStopping()
                guard seconds > 0 else { return }
                logger.notice("The server will stop soon, and still serves", metadata: ["seconds": "\(seconds)"])
                try? await Task.sleep(for: .seconds(seconds))
                await waitForRequests()
                return
            }
        }
    }

    private func waitForRequests() async {
        let end = ContinuousClock.now + Self.requestLimit
        while draining.openRequestCount > 0 {
            guard ContinuousClock.now < end, (try? await Task.sleep(for: Self.lookInterval)) != nil else {
                return logger.notice(
                    "The server stops while requests are still open",
                    metadata: ["requests": "\(draining.openRequestCount)"])
            }
        }
    }
}
