internal import CardCompanionAPI

/// PIN distribution (SDK document, sections 4.1 and 4.2): fetch the PIN's image, show it, and notify the server of it.
///
/// No operation throws: `errorCode` of the answer tells, 0 for success. `hostUrl` is the server's base address.
public enum PINDistribution {
    /// Fetches the cardholder's PIN by authentication code.
    public static func postGetPINCaptchaRequest(
        _ parameters: ProvisioningParameters, hostUrl: String, session: CardCompanionSession = .shared
    ) async -> ProvisioningResponse {
        await .of { () throws(SDKError) in try await session.fetchPIN(parameters, hostUrl: hostUrl) }
    }

    /// Tells the server how the display of a PIN went that was fetched by authentication code.
    ///
    /// Until the server has decided, the same notify may be sent again; a session of which nothing was fetched within
    /// the last 15 minutes is answered 90000.
    public static func postNotifyRequest(
        _ parameters: NotifyParameters, hostUrl: String, session: CardCompanionSession = .shared
    ) async -> NotifyResponse {
        await .of { () throws(SDKError) in try await session.notify(parameters, hostUrl: hostUrl) }
    }

    /// Fetches the cardholder's PIN by a token that the bank's back-end has signed.
    public static func postGetPINCaptchaTokenRequest(
        _ parameters: TokenProvisioningParameters, hostUrl: String, session: CardCompanionSession = .shared
    ) async -> ProvisioningResponse {
        await .of { () throws(SDKError) in try await session.fetchPIN(parameters, hostUrl: hostUrl) }
    }

    /// Tells the server how the display of a PIN went that was fetched by token. See
    /// ``postNotifyRequest(_:hostUrl:session:)``.
    public static func postNotifyTokenRequest(
        _ parameters: TokenNotifyParameters, hostUrl: String, session: CardCompanionSession = .shared
    ) async -> TokenNotifyResponse {
        await .of { () throws(SDKError) in try await session.notify(parameters, hostUrl: hostUrl) }
    }
}
