public import CardCompanionAPI

/// A definition request that is answered with a code other than 0.
public struct DefinitionError: Error {
    /// The code to answer.
    public let code: DefinitionCode
    /// What may be added to the code's message: nothing secret, and nothing of the cardholder.
    public let detail: String?
    /// What went wrong inside, for the log only.
    public let cause: (any Error)?

    init(_ code: DefinitionCode, detail: String? = nil, cause: (any Error)? = nil) {
        self.code = code
        self.detail = detail
        self.cause = cause
    }
}
