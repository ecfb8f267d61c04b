internal import CardCompanionAPI

/// PIN distribution (SDK document, sections 4.1 and 4.2): fetch the PIN's image, show it, and notify the server.
///
/// The operations do not throw: `errorCode` of the response is 0 for success or the code of an error. `hostUrl` is the
/// server's base URL.
public enum PINDistribution {
    /// Fetches the cardholder's PIN with an authentication code.
    public static func postGetPINCaptchaRequest(
        _ parameters: ProvisioningParameters, hostUrl: String, session: CardCompanionSession = .shared
    ) async -> ProvisioningResponse {
        await .of { () throws(SDKError) in try await session.fetchPIN(parameters, hostUrl: hostUrl) }
    }

    /// Notifies the server whether the app showed a PIN that it fetched with an authentication code.
    ///
    /// If the notify fails on the way, the app can send it again. If no PIN was fetched in this session within the last
    /// 24 hours, the code is 90000. After the app's restart, see ``CardCompanionSession/restore(notifyReceipt:)``.
    public static func postNotifyRequest(
        _ parameters: NotifyParameters, hostUrl: String, session: CardCompanionSession = .shared
    ) async -> NotifyResponse {
        await .of { () throws(SDKError) in try await session.notify(parameters, hostUrl: hostUrl) }
    }

    /// Fetches the cardholder's PIN with a token that the bank's back-end has signed.
    public static func postGetPINCaptchaTokenRequest(
        _ parameters: TokenProvisioningParameters, hostUrl: String, session: CardCompanionSession = .shared
    ) async -> ProvisioningResponse {
        await .of { () throws(SDKError) in try await session.fetchPIN(parameters, hostUrl: hostUrl) }
    }

    /// Notifies the server whether the app showed a PIN that it fetched with a token. See
    /// ``postNotifyRequest(_:hostUrl:session:)``.
    public static func postNotifyTokenRequest(
        _ parameters: TokenNotifyParameters, hostUrl: String, session: CardCompanionSession = .shared
    ) async -> TokenNotifyResponse {
        await .of { () throws(SDKError) in try await session.notify(parameters, hostUrl: hostUrl) }
    }

    /// Makes the key of a fetch with an authentication code, so that the bank's back-end can bind the hashMac to it.
    public static func prepareFetch(session: CardCompanionSession = .shared) async -> PreparedFetch {
        await .of { () throws(SDKError) in try await session.prepareFetch(for: .rsaOAEP256) }
    }

    /// Makes the key of a fetch with a token, so that the bank's back-end can bind the token to it.
    public static func prepareTokenFetch(session: CardCompanionSession = .shared) async -> PreparedFetch {
        await .of { () throws(SDKError) in try await session.prepareFetch(for: .ecdhESA256KW) }
    }
}
