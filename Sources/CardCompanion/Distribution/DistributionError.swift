public import CardCompanionAPI

/// A distribution request that is answered with a code other than 0.
public struct DistributionError: Error {
    /// The code to answer.
    public let code: DistributionCode
    /// The code that it is in truth, where the bank asks for uniform errors; for the audit trail only.
    public let trueCode: DistributionCode
    /// What may be added to the code's message: nothing secret, and nothing of the cardholder.
    public let detail: String?
    /// What went wrong inside, for the log only.
    public let cause: (any Error)?

    init(_ code: DistributionCode, detail: String? = nil, cause: (any Error)? = nil) {
        self.init(answered: code, truly: code, detail: detail, cause: cause)
    }

    private init(
        answered: DistributionCode, truly: DistributionCode, detail: String?, cause: (any Error)?
    ) {
        code = answered
        trueCode = truly
        self.detail = detail
        self.cause = cause
    }

    /// What a client may learn where its bank asks for uniform errors: every code that tells something of a cardholder
    /// becomes one.
    func uniform(as code: DistributionCode) -> DistributionError {
        guard Self.tellingOfCardholder.contains(self.code) else { return self }
        return DistributionError(answered: code, truly: trueCode, detail: nil, cause: cause)
    }

    private static let tellingOfCardholder: Set<DistributionCode> = [
        .cardholderNotFound, .cardholderStatusNotSatisfied, .pinNotAvailable, .retryLimitReached,
        .incompatibleBankAndCardholder, .incompatibleChannel,
    ]
}
