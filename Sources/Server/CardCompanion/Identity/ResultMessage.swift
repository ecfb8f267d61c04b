package import CardCompanionModel
internal import JOSE
package import SecureMemory

/// A result of a verification on its way to the bank's result server.
package struct ResultMessage: Sendable {
    /// `application/json`, or `application/jose` if it is sealed.
    package let contentType: String
    package let body: SharedSecret
}

extension ResultMessage {
    static let sealedContent = "identityResult"

    /// - Parameters:
    ///   - certificate: the bank's for results; nil if it has none. Then TLS is the only protection.
    /// - Throws: `JOSEError`, `CryptographyError`.
    init(
        _ result: SharedSecret, validationId: String, clientId: String, bankId: Identifier,
        sealedTo certificate: Bank.BankCertificate?
    ) throws {
        guard let certificate else {
            contentType = "application/json"
            body = result
            return
        }
        let binding = JWEBinding(
            contentType: Self.sealedContent, issuer: bankId.text, subject: clientId, id: validationId)
        let sealed = try JWE.seal(
            result.bytes, to: certificate.publicKey, keyID: certificate.alias, binding: binding)
        contentType = "application/jose"
        body = SharedSecret(SecretBytes(copying: Array(sealed.utf8)))
    }
}

/// Where the results of a client's sessions are posted.
package struct ResultServer: Sendable, Equatable {
    package let bankId: Identifier
    package let url: String
    /// Whether the URL may point into a private network.
    package let isPrivate: Bool
}

/// Posts results, with retries.
package protocol ResultPosting: Sendable {
    /// - Parameter isWanted: whether the result may still be posted. It is asked before each further attempt, which is not made if
    ///   it throws.
    /// - Throws: ``ResultNotPosted``.
    func post(
        _ message: ResultMessage, to server: ResultServer, while isWanted: @Sendable () async throws -> Bool
    ) async throws(ResultNotPosted)
}

/// No attempt was answered with 2xx.
package enum ResultNotPosted: Error, CustomStringConvertible {
    /// It was not wanted any more.
    case notWanted
    /// Why the last attempt failed. Nothing personal.
    case failed(String)

    package var description: String {
        switch self {
        case .notWanted: "the client was disabled"
        case .failed(let problem): problem
        }
    }
}
