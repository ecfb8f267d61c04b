internal import CardCompanionAPI

/// PIN definition (SDK document, sections 4.3 to 4.5): the cardholder chooses the PIN.
///
/// No operation throws: `errorCode` of the answer tells, 0 for success. `hostUrl` is the server's base address.
public enum PINDefinition {
    /// Defines a PIN, authenticated by the bank's HMAC.
    public static func postDefinePINRequest(
        _ parameters: DefinitionParameters, hostUrl: String, session: CardCompanionSession = .shared
    ) async -> DefinitionResponse {
        await .of { () throws(SDKError) in try await session.definePIN(parameters, hostUrl: hostUrl) }
    }

    /// Defines a PIN, authenticated by a token that the bank's back-end has signed.
    public static func postDefinePINECDHRequest(
        _ parameters: DefinitionTokenParameters, hostUrl: String, session: CardCompanionSession = .shared
    ) async -> DefinitionResponse {
        await .of { () throws(SDKError) in try await session.definePIN(parameters, hostUrl: hostUrl) }
    }

    /// Asks for a keypad whose digits stand where only the server and the app know.
    public static func postGetKeyPadCoordinatesRequest(
        _ parameters: KeyPadCoordinatesParameters, hostUrl: String, session: CardCompanionSession = .shared
    ) async -> KeyPadCoordinatesResponse {
        await .of { () throws(SDKError) in try await session.fetchKeypad(parameters, hostUrl: hostUrl) }
    }

    /// Defines a PIN by the places of its digits on a keypad, authenticated by a token (CB).
    public static func postDefinePINECDHCBRequest(
        _ parameters: DefinitionTokenParameters, hostUrl: String, session: CardCompanionSession = .shared
    ) async -> DefinitionResponse {
        await .of { () throws(SDKError) in try await session.definePINByIndexes(parameters, hostUrl: hostUrl) }
    }
}
