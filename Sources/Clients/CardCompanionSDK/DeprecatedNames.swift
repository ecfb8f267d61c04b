public import CardCompanionAPI

// The names that the operations had before version 1.7 (SDK document, table 4).

/// The former type of ``PINDistribution/postGetPINCaptchaRequest(_:hostUrl:session:)``.
public enum ProvisioningRequest {
    /// The former name of ``PINDistribution/postGetPINCaptchaRequest(_:hostUrl:session:)``.
    @available(*, deprecated, renamed: "PINDistribution.postGetPINCaptchaRequest(_:hostUrl:)")
    public static func postDataForGetPin(
        _ parameters: ProvisioningParameters, hostUrl: String
    ) async -> ProvisioningResponse {
        await PINDistribution.postGetPINCaptchaRequest(parameters, hostUrl: hostUrl)
    }
}

/// The former type of ``PINDistribution/postGetPINCaptchaTokenRequest(_:hostUrl:session:)``.
public enum GetPinToken {
    /// The former name of ``PINDistribution/postGetPINCaptchaTokenRequest(_:hostUrl:session:)``.
    @available(*, deprecated, renamed: "PINDistribution.postGetPINCaptchaTokenRequest(_:hostUrl:)")
    public static func getPinTokenCaptcha(
        _ parameters: TokenProvisioningParameters, hostUrl: String
    ) async -> ProvisioningResponse {
        await PINDistribution.postGetPINCaptchaTokenRequest(parameters, hostUrl: hostUrl)
    }
}

extension NotifyRequest {
    /// The former name of ``PINDistribution/postNotifyRequest(_:hostUrl:session:)``.
    @available(*, deprecated, renamed: "PINDistribution.postNotifyRequest(_:hostUrl:)")
    public static func postDataForNotifyRequest(
        _ parameters: NotifyParameters, hostUrl: String
    ) async -> NotifyResponse {
        await PINDistribution.postNotifyRequest(parameters, hostUrl: hostUrl)
    }
}

extension TokenNotifyRequest {
    /// The former name of ``PINDistribution/postNotifyTokenRequest(_:hostUrl:session:)``.
    @available(*, deprecated, renamed: "PINDistribution.postNotifyTokenRequest(_:hostUrl:)")
    public static func notifyPinToken(
        _ parameters: TokenNotifyParameters, hostUrl: String
    ) async -> TokenNotifyResponse {
        await PINDistribution.postNotifyTokenRequest(parameters, hostUrl: hostUrl)
    }
}

/// The former type of ``PINDefinition/postDefinePINRequest(_:hostUrl:session:)``.
public enum DefinitionRequest {
    /// The former name of ``PINDefinition/postDefinePINRequest(_:hostUrl:session:)``.
    @available(*, deprecated, renamed: "PINDefinition.postDefinePINRequest(_:hostUrl:)")
    public static func definePin(
        _ parameters: DefinitionParameters, hostUrl: String
    ) async -> DefinitionResponse {
        await PINDefinition.postDefinePINRequest(parameters, hostUrl: hostUrl)
    }
}

/// The former type of the operations for PIN definition by token.
public enum DefinitionTokenRequest {
    /// The former name of ``PINDefinition/postDefinePINECDHRequest(_:hostUrl:session:)``.
    @available(*, deprecated, renamed: "PINDefinition.postDefinePINECDHRequest(_:hostUrl:)")
    public static func definePinToken(
        _ parameters: DefinitionTokenParameters, hostUrl: String
    ) async -> DefinitionResponse {
        await PINDefinition.postDefinePINECDHRequest(parameters, hostUrl: hostUrl)
    }

    /// The former name of ``PINDefinition/postGetKeyPadCoordinatesRequest(_:hostUrl:session:)``.
    @available(*, deprecated, renamed: "PINDefinition.postGetKeyPadCoordinatesRequest(_:hostUrl:)")
    public static func getKeyPadCoordinates(
        _ parameters: KeyPadCoordinatesParameters, hostUrl: String
    ) async -> KeyPadCoordinatesResponse {
        await PINDefinition.postGetKeyPadCoordinatesRequest(parameters, hostUrl: hostUrl)
    }

    /// The former name of ``PINDefinition/postDefinePINECDHCBRequest(_:hostUrl:session:)``.
    @available(*, deprecated, renamed: "PINDefinition.postDefinePINECDHCBRequest(_:hostUrl:)")
    public static func definePinTokenCB(
        _ parameters: DefinitionTokenParameters, hostUrl: String
    ) async -> DefinitionResponse {
        await PINDefinition.postDefinePINECDHCBRequest(parameters, hostUrl: hostUrl)
    }
}
