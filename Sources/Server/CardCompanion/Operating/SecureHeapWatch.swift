package import Logging
internal import Metrics
internal import SecureMemory
internal import ServiceLifecycle

/// Warns in the log if keys and PINs did not fit into the secure heap. Otherwise operators would believe that all of them are
/// in locked memory.
package struct SecureHeapWatch: Service, CustomStringConvertible {
    /// How often it looks. It does not warn more often.
    package static let interval = Duration.seconds(10)

    package let description = "secure heap watch"

    private let interval: Duration
    private let logger: Logger

    package init(interval: Duration = interval, logger: Logger) {
        self.interval = interval
        self.logger = logger
    }

    package func run() async throws {
        await cancelWhenGracefulShutdown {
            let fallBacks = Counter(label: "card_companion_secure_heap_fallbacks_total")
            var known = 0
            while (try? await Task.sleep(for: interval)) != nil {
                let count = SecureHeap.fallBackCount
                fallBacks.increment(by: count - known)
                if count > known {
                    logger.warning(
                        "The secure heap was full: secrets were kept in ordinary memory, which can be swapped out",
                        metadata: ["secrets": "\(count - known)", "since_start": "\(count)"])
                }
                known = count
            }
        }
    }
}
