import CardCompanionHTTP
import Logging
import ServiceLifecycle
import UnixSignals

/// On SIGTERM, lets load balancers and clients notice that the server stops, and then ends, which stops everything. SIGINT, from a
/// person at a terminal, stops at once.
struct Drain: Service, CustomStringConvertible {
    let description = "drain"
    let draining: Draining
    let seconds: Int
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown {
            for await _ in await UnixSignalsSequence(trapping: .sigterm) {
                draining.begin()
                if seconds > 0 {
                    logger.notice("The server stops soon, and still serves", metadata: ["seconds": "\(seconds)"])
                    try? await Task.sleep(for: .seconds(seconds))
                }
                return
            }
        }
    }
}
