public import CardCompanionAPI
internal import Foundation

/// A chosen PIN, sealed to the server before the definition, so that the bank's back-end can bind its hashMac or token to it.
/// Then nobody who reads the request on its way can put another PIN into it (protocol, section 2.2.1).
public struct SealedPIN: Sendable, Redacted, Response {
    /// 0 for success, else a `LibraryCode` from the SDK.
    public var errorCode: Int
    /// The code's meaning in words, for people.
    public var errorMessage: String
    /// After how many seconds the app may try again, if the server was too busy (code 90015 with HTTP status 429 or 503)
    /// and said so. Nil otherwise.
    public var retryAfterSeconds: Int?
    /// The digest of the sealed PIN, 43 characters of base64url. The app sends it to its bank's back-end. Nil on an error.
    public var binding: String? { sealed.map { ProofBinding.digest(of: Data($0.compact.utf8)) } }

    var sealed: Sealed?

    struct Sealed: Sendable {
        /// As it is sent.
        let compact: String
        let algorithm: KeyManagement
        let request: RequestBinding
    }

    init(errorCode: Int, errorMessage: String) {
        self.errorCode = errorCode
        self.errorMessage = errorMessage
    }

    init(_ sealed: Sealed) {
        self.init(errorCode: DefinitionCode.success.rawValue, errorMessage: DefinitionCode.success.message)
        self.sealed = sealed
    }

    /// The sealed value for a definition.
    ///
    /// - Parameter names: the token's; nil for a definition by HMAC.
    /// - Throws: 90000 if it was sealed for another definition, or its own code if it could not be sealed.
    func sealed(
        for content: RequestBinding.Content, _ algorithm: KeyManagement, names: TokenNames? = nil
    ) throws(SDKError) -> Sealed {
        guard let sealed else {
            throw SDKError(LibraryCode(rawValue: errorCode) ?? .invalidInput, "the PIN could not be sealed")
        }
        guard sealed.algorithm == algorithm, sealed.request.content == content else {
            throw SDKError(.invalidInput, "the PIN was sealed for another kind of definition")
        }
        guard names.map({ $0 == sealed.request.names }) ?? true else {
            throw SDKError(.invalidInput, "the PIN was sealed for another IdBEL, IdPorteur or IdTransaction")
        }
        return sealed
    }
}
