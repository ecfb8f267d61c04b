package import CardCompanionAPI

/// A definition request that is answered with a code other than 0.
package struct DefinitionError: Error {
    /// The code in the answer.
    package let code: DefinitionCode
    /// An addition to the message of the code: nothing secret, and nothing about the cardholder.
    package let detail: String?
    /// The internal error, for the log only.
    package let cause: (any Error)?

    init(_ code: DefinitionCode, detail: String? = nil, cause: (any Error)? = nil) {
        self.code = code
        self.detail = detail
        self.cause = cause
    }
}
