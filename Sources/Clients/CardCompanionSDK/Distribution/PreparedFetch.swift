public import CardCompanionAPI
internal import Crypto
internal import CryptoExtras
internal import Foundation

/// The key of a fetch, made before the fetch, so that the bank's back-end can bind its hashMac or token to it. Then nobody who
/// reads the request on its way can put another key into it (protocol, section 2.2.1).
///
/// It is for one fetch, which can be repeated if the answer was lost.
public struct PreparedFetch: Sendable, Redacted, Response {
    /// 0 for success, else a `LibraryCode` from the SDK.
    public var errorCode: Int
    /// The code's meaning in words, for people.
    public var errorMessage: String
    /// Always nil: no server is asked.
    public var retryAfterSeconds: Int?
    /// The key's digest, 43 characters of base64url. The app sends it to its bank's back-end. Nil on an error.
    public var binding: String? { key.map { ProofBinding.digest(of: $0.key.publicKeyInfoBytes) } }

    var key: Key?

    /// Keys of swift-crypto never change, but not all of them are marked Sendable.
    struct Key: @unchecked Sendable {
        let key: RecipientKey
    }

    init(errorCode: Int, errorMessage: String) {
        self.errorCode = errorCode
        self.errorMessage = errorMessage
    }

    init(_ key: RecipientKey) {
        self.init(errorCode: DistributionCode.success.rawValue, errorMessage: DistributionCode.success.message)
        self.key = Key(key: key)
    }

    /// The key for a fetch.
    ///
    /// - Throws: 90000 if it was prepared for the other kind of fetch, or its own code if it could not be prepared.
    func key(for algorithm: KeyManagement) throws(SDKError) -> RecipientKey {
        guard let key else {
            throw SDKError(LibraryCode(rawValue: errorCode) ?? .invalidInput, "the fetch could not be prepared")
        }
        guard key.key.algorithm == algorithm else {
            throw SDKError(
                .invalidInput, "prepareFetch is for a fetch with an authentication code, prepareTokenFetch for a token")
        }
        return key.key
    }
}

/// The digest that binds a proof to its request.
enum ProofBinding {
    static func digest(of bytes: some DataProtocol) -> String {
        Base64URL.encode(SHA256.hash(data: bytes))
    }
}
