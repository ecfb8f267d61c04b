package import CardCompanionAPI

/// A definition request that is answered with a code other than 0.
package struct DefinitionError: Error {
    /// The code in the answer.
    package let code: DefinitionCode
    /// The code without regard to the bank's uniform errors; for the audit trail only.
    package let trueCode: DefinitionCode
    /// An addition to the message of the code: nothing secret, and nothing about the cardholder.
    package let detail: String?
    /// The internal error, for the log only.
    package let cause: (any Error)?

    init(_ code: DefinitionCode, detail: String? = nil, cause: (any Error)? = nil) {
        self.init(answered: code, truly: code, detail: detail, cause: cause)
    }

    private init(answered: DefinitionCode, truly: DefinitionCode, detail: String?, cause: (any Error)?) {
        code = answered
        trueCode = truly
        self.detail = detail
        self.cause = cause
    }

    /// The error for a bank with uniform errors: one that reveals something about a cardholder is answered as if the
    /// caller were not authentic.
    func uniform(as code: DefinitionCode) -> DefinitionError {
        guard self.code == .cardholderNotFound || self.code == .cardholderStatusNotSatisfied else { return self }
        let detail = code == .badHashMac ? HashMac.wrong : nil
        return DefinitionError(answered: code, truly: trueCode, detail: detail, cause: cause)
    }
}
