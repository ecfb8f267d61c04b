package import CardCompanionAPI
internal import CardCompanionModel

/// The result codes of distribution, or of definition.
package protocol RequestCode: Hashable, Sendable {
    var rawValue: Int { get }
    /// For people.
    var message: String { get }

    static var bankNotFound: Self { get }
    static var invalidTimestamp: Self { get }
    /// The codes that reveal something about a cardholder.
    static var aboutCardholder: Set<Self> { get }
    /// The addition to the message where this code stands for one of ``aboutCardholder``.
    var uniformDetail: String? { get }
}

extension DistributionCode: RequestCode {
    package static let aboutCardholder: Set<DistributionCode> = [
        .badAuthenticationCodeFormat, .cardholderNotFound, .cardholderStatusNotSatisfied, .pinNotAvailable,
        .retryLimitReached, .incompatibleBankAndCardholder, .incompatibleChannel,
    ]
    package var uniformDetail: String? { nil }
}

extension DefinitionCode: RequestCode {
    package static let aboutCardholder: Set<DefinitionCode> = [.cardholderNotFound, .cardholderStatusNotSatisfied]
    // A caller with a wrong HMAC gets the same text.
    package var uniformDetail: String? { self == .badHashMac ? HashMac.wrong : nil }
}

package typealias DistributionError = RequestError<DistributionCode>
package typealias DefinitionError = RequestError<DefinitionCode>

/// A request that is answered with a code other than 0.
package struct RequestError<Code: RequestCode>: Error {
    /// The code in the answer.
    package let code: Code
    /// The code without regard to the bank's uniform errors; for the audit trail only.
    package let trueCode: Code
    /// An addition to the message of the code: nothing secret, and nothing about the cardholder.
    package let detail: String?
    /// The internal error, for the log only.
    package let cause: (any Error)?

    init(_ code: Code, detail: String? = nil, cause: (any Error)? = nil) {
        self.init(answered: code, truly: code, detail: detail, cause: cause)
    }

    private init(answered: Code, truly: Code, detail: String?, cause: (any Error)?) {
        code = answered
        trueCode = truly
        self.detail = detail
        self.cause = cause
    }

    /// The error for a bank with uniform errors: every code that reveals something about a cardholder becomes the same.
    func uniform(as code: Code) -> RequestError {
        guard Code.aboutCardholder.contains(self.code) else { return self }
        return RequestError(answered: code, truly: trueCode, detail: code.uniformDetail, cause: cause)
    }
}

extension Bank {
    /// Serves a request. If the bank has uniform errors, `code` is answered for every one that reveals something about a cardholder.
    func uniformly<Code: RequestCode, Result>(
        as code: Code, _ serve: () async throws -> Result
    ) async throws -> Result {
        do {
            return try await serve()
        } catch let error as RequestError<Code> where settings.uniformErrors {
            throw error.uniform(as: code)
        }
    }
}
