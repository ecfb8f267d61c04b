internal import CardCompanionAPI

/// PIN definition (SDK document, sections 4.3 to 4.5): the cardholder chooses the PIN.
///
/// The operations do not throw: `errorCode` of the response is 0 for success or the code of an error. `hostUrl` is the
/// server's base URL.
public enum PINDefinition {
    /// Defines a PIN. The bank's HMAC authenticates the request.
    public static func postDefinePINRequest(
        _ parameters: DefinitionParameters, hostUrl: String, session: CardCompanionSession = .shared
    ) async -> DefinitionResponse {
        await .of { () throws(SDKError) in try await session.definePIN(parameters, hostUrl: hostUrl) }
    }

    /// Defines a PIN. A token that the bank's back-end has signed authenticates the request.
    public static func postDefinePINECDHRequest(
        _ parameters: DefinitionTokenParameters, hostUrl: String, session: CardCompanionSession = .shared
    ) async -> DefinitionResponse {
        await .of { () throws(SDKError) in try await session.definePIN(parameters, hostUrl: hostUrl) }
    }

    /// Fetches a keypad with its digits at random places.
    public static func postGetKeyPadCoordinatesRequest(
        _ parameters: KeyPadCoordinatesParameters, hostUrl: String, session: CardCompanionSession = .shared
    ) async -> KeyPadCoordinatesResponse {
        await .of { () throws(SDKError) in try await session.fetchKeypad(parameters, hostUrl: hostUrl) }
    }

    /// Forgets the keypads of a cardholder, for example because a new one is going to be shown. The session then no longer
    /// answers 90000 because it has fetched several.
    public static func discardKeypads(
        bankId: String, uniqueId: String, session: CardCompanionSession = .shared
    ) async {
        await session.keypads.forget(bankId: bankId, uniqueId: uniqueId)
    }

    /// Defines a PIN by the indexes of its digits on a keypad (CB). A token authenticates the request.
    public static func postDefinePINECDHCBRequest(
        _ parameters: DefinitionTokenParameters, hostUrl: String, session: CardCompanionSession = .shared
    ) async -> DefinitionResponse {
        await .of { () throws(SDKError) in try await session.definePINByIndexes(parameters, hostUrl: hostUrl) }
    }
}
