internal import DocumentValidation
internal import Metrics
internal import Synchronization

/// Counts sessions.
final class DocumentSessionMetrics: Sendable {
    enum End {
        case closed(Closure)
        case closedByClient
        case lost

        /// A word for people and metrics. No client can choose it.
        var name: String {
            switch self {
            case .closed(.normal): "posted"
            case .closed(.goingAway): "server_stopped"
            case .closed(.invalidFrames): "invalid_frames"
            case .closed(.invalidText): "invalid_text"
            case .closed(let closure): closure.reason.lowercased()
            case .closedByClient: "closed_by_client"
            case .lost: "connection_lost"
            }
        }

        static let all =
            [
                .closed(.normal), .closed(.goingAway), .closed(.invalidFrames), .closed(.invalidText), .closedByClient,
                .lost,
            ]
            + CloseReason.allCases.map { End.closed(Closure($0)) }
    }

    private let open = Gauge(label: "card_companion_document_sessions")
    private let openCount = Mutex(0)
    private let ended: [String: Counter]

    /// Counters begin at zero, because Prometheus cannot see the increase of one that begins at one.
    init() {
        ended = Dictionary(
            uniqueKeysWithValues: End.all.map {
                (
                    $0.name,
                    Counter(label: "card_companion_document_sessions_ended_total", dimensions: [("end", $0.name)])
                )
            })
        ended.values.forEach { $0.increment(by: 0) }
        open.record(0)
    }

    func begin() { change(by: 1) }

    func end(_ end: End) {
        change(by: -1)
        ended[end.name]?.increment()
    }

    private func change(by difference: Int) {
        openCount.withLock { count in
            count += difference
            open.record(count)
        }
    }
}
