package import CardCompanionAPI

/// A distribution request that is answered with a code other than 0.
package struct DistributionError: Error {
    /// The code in the answer.
    package let code: DistributionCode
    /// The code without regard to the bank's uniform errors; for the audit trail only.
    package let trueCode: DistributionCode
    /// An addition to the message of the code: nothing secret, and nothing about the cardholder.
    package let detail: String?
    /// The internal error, for the log only.
    package let cause: (any Error)?

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

    /// The error for a bank with uniform errors: every code that reveals something about a cardholder becomes the same.
    func uniform(as code: DistributionCode) -> DistributionError {
        guard Self.aboutCardholder.contains(self.code) else { return self }
        return DistributionError(answered: code, truly: trueCode, detail: nil, cause: cause)
    }

    private static let aboutCardholder: Set<DistributionCode> = [
        .badAuthenticationCodeFormat, .cardholderNotFound, .cardholderStatusNotSatisfied, .pinNotAvailable,
        .retryLimitReached,
        .incompatibleBankAndCardholder, .incompatibleChannel,
    ]
}
