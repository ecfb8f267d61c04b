internal import CardCompanionAPI
public import Foundation

/// The operations with the names that the SDK document uses on iOS (sections 4.1.2 to 4.5.2), for Swift and Objective-C.
///
/// Each calls its operation of ``PINDistribution`` or ``PINDefinition``, with the same result, and has two forms. One waits and
/// returns the response, as the document's samples do: call it on a thread of your own, never on the main thread (90000). The
/// other returns at once, and later calls `completion` once, on any thread. The parameters are those of the document's tables;
/// where its samples have other names, both are there.
#if canImport(ObjectiveC)
    @objcMembers
#endif
public final class PinCodeRequest: NSObject {
    private static let configured = Locked(CardCompanionSession.shared)

    /// The session of all requests.
    static var session: CardCompanionSession { configured.withLock { $0 } }

    /// Sets the configuration of all later requests. Call it before the first one: what an earlier request has left for a later
    /// one, such as the key of a notify, is forgotten. Not in the document.
    public static func configure(_ configuration: PinCodeConfiguration) {
        use(configuration.session())
    }

    static func use(_ session: CardCompanionSession) {
        configured.withLock { $0 = session }
    }

    /// Forgets the keypad of a cardholder, because its screen was closed. Not in the document; for Objective-C, which does
    /// not see ``PINDefinition/discardKeypads(bankId:uniqueId:session:)``.
    public static func discardKeypads(
        _ bankId: String, uniqueId: String, completion: @escaping @Sendable () -> Void
    ) {
        Task {
            await PINDefinition.discardKeypads(bankId: bankId, uniqueId: uniqueId, session: session)
            completion()
        }
    }

    /// Brings back the notify key of a fetch after the app's restart. Not in the document; for Objective-C, which does not
    /// see ``CardCompanionSession/restore(notifyReceipt:)``.
    ///
    /// - Parameters:
    ///   - notifyReceipt: The stored ``PINCodeProvisioningJResponse/notifyReceipt``.
    ///   - completion: Receives whether the text is a receipt.
    public static func restore(notifyReceipt: String, completion: @escaping @Sendable (Bool) -> Void) {
        Task { completion(await session.restore(notifyReceipt: notifyReceipt)) }
    }
}

// What the public functions have in common.
extension PinCodeRequest {
    static func fetch(
        _ bankId: String, _ uniqueId: String, _ ac: String, _ timestamp: String, _ hashMac: String, _ hostURL: String
    ) -> PinCodeOperation<ProvisioningResponse, PINCodeProvisioningJResponse> {
        let parameters = ProvisioningParameters(
            bankId: bankId, uniqueId: uniqueId, authCode: ac, timestamp: timestamp, hashMac: hashMac)
        return PinCodeOperation(PINCodeProvisioningJResponse.init) {
            await PINDistribution.postGetPINCaptchaRequest(parameters, hostUrl: hostURL, session: session)
        }
    }

    static func notify(
        _ bankId: String, _ uniqueId: String, _ sessionId: String, _ status: Int, _ hostURL: String
    ) -> PinCodeOperation<NotifyResponse, JResponse> {
        PinCodeOperation(JResponse.init) {
            guard let status = NotifyStatus(rawValue: status) else { return .unknownStatus }
            let parameters = NotifyParameters(
                bankId: bankId, uniqueId: uniqueId, sessionId: sessionId, status: status)
            return await PINDistribution.postNotifyRequest(parameters, hostUrl: hostURL, session: session)
        }
    }

    static func fetch(
        _ token: String, _ signature: String, _ hostURL: String
    ) -> PinCodeOperation<ProvisioningResponse, PINCodeProvisioningJResponse> {
        let parameters = TokenProvisioningParameters(token: token, signature: signature)
        return PinCodeOperation(PINCodeProvisioningJResponse.init) {
            await PINDistribution.postGetPINCaptchaTokenRequest(parameters, hostUrl: hostURL, session: session)
        }
    }

    static func notify(
        _ token: String, _ sessionId: String, _ status: Int, _ hostURL: String
    ) -> PinCodeOperation<TokenNotifyResponse, JResponse> {
        PinCodeOperation(JResponse.init) {
            guard let status = NotifyStatus(rawValue: status) else { return .unknownStatus }
            let parameters = TokenNotifyParameters(token: token, sessionId: sessionId, status: status)
            return await PINDistribution.postNotifyTokenRequest(parameters, hostUrl: hostURL, session: session)
        }
    }

    static func define(
        _ bankId: String, _ uniqueId: String, _ timestamp: String, _ hashMac: String, _ pin: String, _ hostURL: String
    ) -> PinCodeOperation<DefinitionResponse, JResponse> {
        let parameters = DefinitionParameters(
            bankId: bankId, uniqueId: uniqueId, timestamp: timestamp, hashMac: hashMac, pin: pin)
        return PinCodeOperation(JResponse.init) {
            await PINDefinition.postDefinePINRequest(parameters, hostUrl: hostURL, session: session)
        }
    }

    static func define(
        _ token: String, _ signature: String, pin: String, _ hostURL: String
    ) -> PinCodeOperation<DefinitionResponse, DefinePinTokenRequest> {
        let parameters = DefinitionTokenParameters(token: token, signature: signature, pin: pin)
        return PinCodeOperation(DefinePinTokenRequest.init) {
            await PINDefinition.postDefinePINECDHRequest(parameters, hostUrl: hostURL, session: session)
        }
    }

    static func keypad(
        _ bankId: String, _ uniqueId: String, _ keypadSize: String, _ hostURL: String
    ) -> PinCodeOperation<KeyPadCoordinatesResponse, GetKeypadCoordJResponse> {
        PinCodeOperation(GetKeypadCoordJResponse.init) {
            guard let size = Int(keypadSize) else {
                return KeyPadCoordinatesResponse(SDKError(.invalidInput, "keypadSize must be a number"))
            }
            let parameters = KeyPadCoordinatesParameters(bankId: bankId, uniqueId: uniqueId, keypadSize: size)
            return await PINDefinition.postGetKeyPadCoordinatesRequest(parameters, hostUrl: hostURL, session: session)
        }
    }

    static func define(
        _ token: String, _ signature: String, indexes: String, _ hostURL: String
    ) -> PinCodeOperation<DefinitionResponse, DefinePinTokenRequest> {
        let parameters = DefinitionTokenParameters(token: token, signature: signature, indexes: indexes)
        return PinCodeOperation(DefinePinTokenRequest.init) {
            await PINDefinition.postDefinePINECDHCBRequest(parameters, hostUrl: hostURL, session: session)
        }
    }
}

extension NotifyResponse {
    fileprivate static var unknownStatus: NotifyResponse {
        NotifyResponse(SDKError(.invalidInput, "status must be 0, 1 or 2"))
    }
}
