internal import CardCompanionAPI
internal import HTTPTypes
internal import Hummingbird
internal import Metrics
internal import Synchronization

/// Counts the answers of each operation, and how long they take.
struct RequestMetrics: Sendable {
    private let operations: [String: [HTTPRequest.Method: OperationMetrics]]
    /// Of requests that no operation serves.
    private let unrouted = OperationMetrics("none", codes: [])

    init(_ routes: [Router<ServiceContext>.RouteDescription]) {
        var operations: [String: [HTTPRequest.Method: OperationMetrics]] = [:]
        for route in routes {
            let metrics = OperationMetrics(
                "\(route.method.rawValue) \(route.path)", codes: Self.codes(of: "\(route.path)"))
            operations["\(route.path)", default: [:]][route.method] = metrics
            if route.method == .get { operations["\(route.path)", default: [:]][.head] = metrics }
        }
        self.operations = operations
    }

    /// The codes of the protocol that an operation can answer.
    private static func codes(of path: String) -> [Int] {
        switch path {
        case APIPath.captcha, APIPath.notify, APIPath.tokenCaptcha, APIPath.tokenNotify:
            DistributionCode.allCases.map(\.rawValue)
        case APIPath.keypadCoordinates, APIPath.definePIN, APIPath.definePINToken, APIPath.definePINIndexes:
            DefinitionCode.allCases.map(\.rawValue)
        default: []
        }
    }

    func record(_ request: Request, _ response: Response, _ duration: Duration, _ context: ServiceContext) {
        let operation = context.endpointPath.flatMap { operations[$0]?[request.method] } ?? unrouted
        operation.record(status: response.status.code, code: context.answer.code, duration: duration)
    }
}

/// The metrics of one operation.
private final class OperationMetrics: Sendable {
    private struct Answer: Hashable {
        let status: Int
        let code: Int?
    }

    private let operation: String
    private let duration: Timer
    /// Of the answers that are known, and of other statuses that there were.
    private let counters: Mutex<[Answer: Counter]>

    /// - Parameter codes: those of the protocol that the operation can answer. Counters begin at zero, because Prometheus cannot
    ///   see the increase of one that begins at one.
    init(_ operation: String, codes: [Int]) {
        self.operation = operation
        duration = Timer(
            label: "card_companion_request_duration_seconds", dimensions: [("operation", operation)])
        counters = Mutex([:])
        for code in codes { _ = counter(Answer(status: HTTPResponse.Status.ok.code, code: code)) }
        for status in [HTTPResponse.Status.internalServerError, .serviceUnavailable] {
            _ = counter(Answer(status: status.code, code: nil))
        }
    }

    func record(status: Int, code: Int?, duration: Duration) {
        self.duration.record(duration: duration)
        counter(Answer(status: status, code: code)).increment()
    }

    private func counter(_ answer: Answer) -> Counter {
        counters.withLock { counters in
            if let known = counters[answer] { return known }
            let new = Counter(
                label: "card_companion_requests_total",
                dimensions: [
                    ("operation", operation), ("status", "\(answer.status)"),
                    ("code", answer.code.map { "\($0)" } ?? "none"),
                ])
            counters[answer] = new
            return new
        }
    }
}
