internal import CardCompanion
internal import CardCompanionModel
internal import CardCompanionStore
internal import HTTPTypes
internal import Hummingbird

extension Problem {
    private static let storeRetryAfterSeconds = 1

    /// What a client is told of an error, and what the audit trail records of it: the only translation.
    ///
    /// An error that nobody expects is 500.
    init(_ error: any Error) {
        switch error {
        case let problem as Problem:
            self = problem
        case let error as ServiceUnavailable:
            self = .unavailable(retryAfterSeconds: error.retryAfterSeconds)
        case let error as StoreError where error.isTemporary:
            self = .unavailable(retryAfterSeconds: Self.storeRetryAfterSeconds)
        case let error as TooManyRequests:
            self = Problem(
                .tooManyRequests, "Too many requests for this cardholder.",
                headers: [.retryAfter: String(error.retryAfterSeconds)])
        case let error as Overloaded:
            self.init(overloaded: error)
        case let error as any HTTPResponseError:
            self = Problem(error.status, error.status.reasonPhrase)
        default:
            self =
                ServiceUnavailable(closedVault: error)
                .map { .unavailable(retryAfterSeconds: $0.retryAfterSeconds) }
                ?? Problem(.internalServerError, "Internal server error.")
        }
    }

    /// The answer to a request too many. Its body was written before: an answer to very many requests must cost little.
    init(overloaded error: Overloaded) {
        self = Self.overloaded[error.cause, default: .unavailable(retryAfterSeconds: error.retryAfterSeconds)]
            .with(.retryAfter, "\(error.retryAfterSeconds)")
    }

    private static let overloaded = Dictionary(
        uniqueKeysWithValues: Overloaded.Cause.allCases.map { cause in
            let problem = Problem(
                .serviceUnavailable, "\(cause.text) Nothing of this request was used: send it again later.",
                kind: "overloaded")
            return (cause, (try? problem.written()) ?? problem)
        })

    /// Whether nobody expects its error, which then belongs to the log.
    var isFault: Bool { status == .internalServerError }

    private static func unavailable(retryAfterSeconds: Int) -> Problem {
        Problem(
            .serviceUnavailable, "Service unavailable. Try again later.",
            headers: [.retryAfter: String(retryAfterSeconds)])
    }
}

extension Overloaded.Cause {
    /// For clients.
    fileprivate var text: String {
        switch self {
        case .server: "The server has more requests than it can answer in time."
        case .bankShare: "The server has many requests, and this bank has its share of them."
        case .bankRate: "This bank sends more requests per second than the server's operator allows."
        }
    }
}
