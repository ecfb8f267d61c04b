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
        case let error as any HTTPResponseError:
            self = Problem(error.status, error.status.reasonPhrase)
        default:
            self =
                ServiceUnavailable(closedVault: error)
                .map { .unavailable(retryAfterSeconds: $0.retryAfterSeconds) }
                ?? Problem(.internalServerError, "Internal server error.")
        }
    }

    /// Whether nobody expects its error, which then belongs to the log.
    var isFault: Bool { status == .internalServerError }

    private static func unavailable(retryAfterSeconds: Int) -> Problem {
        Problem(
            .serviceUnavailable, "Service unavailable. Try again later.",
            headers: [.retryAfter: String(retryAfterSeconds)])
    }
}
