internal import CardCompanionAPI
public import Foundation

/// The operations with the names that the SDK document uses on iOS (sections 4.1.2 to 4.5.2), for Swift and Objective-C.
///
/// Each calls its operation of ``PINDistribution`` or ``PINDefinition`` in ``CardCompanionSession/shared``, with the same
/// result. It returns at once, and later calls `completion` once, on any thread. Where the document's tables and code
/// samples differ in a name or an order, the tables of input parameters decide, except for
/// ``postNotifyTokenRequest(_:sessionId:status:hostURL:completion:)``.
#if canImport(ObjectiveC)
    @objcMembers
#endif
public final class PinCodeRequest: NSObject {
    /// Fetches the cardholder's PIN with an authentication code (4.1.2).
    ///
    /// - Parameters:
    ///   - bankId: The bank's identifier.
    ///   - uniqueId: The cardholder's unique identifier.
    ///   - ac: The cardholder's authentication code.
    ///   - timestamp: Unix time in seconds, such as `1475255010`.
    ///   - hashMac: The bank's HMAC-SHA-256 over bankId + uniqueId + timestamp in hex.
    ///   - hostURL: The server's base URL.
    ///   - completion: Receives the PIN or the code of an error.
    public static func postGetPINRequest(
        _ bankId: String, uniqueId: String, ac: String, timestamp: String, hashMac: String, hostURL: String,
        completion: @escaping @Sendable (PINCodeProvisioningJResponse) -> Void
    ) {
        let parameters = ProvisioningParameters(
            bankId: bankId, uniqueId: uniqueId, authCode: ac, timestamp: timestamp, hashMac: hashMac)
        Task {
            let response = await PINDistribution.postGetPINCaptchaRequest(parameters, hostUrl: hostURL)
            completion(PINCodeProvisioningJResponse(response))
        }
    }

    /// Notifies the server whether the app showed a PIN that it fetched with an authentication code (4.1.2).
    ///
    /// - Parameters:
    ///   - bankId: The bank's identifier.
    ///   - uniqueId: The cardholder's unique identifier.
    ///   - sessionId: The session of the fetch.
    ///   - status: Whether the app showed the PIN. Objective-C can pass other values: they give 90000.
    ///   - hostURL: The server's base URL.
    ///   - completion: Receives the result.
    public static func postNotifyRequest(
        _ bankId: String, uniqueId: String, sessionId: String, status: GETPIN_STATUS, hostURL: String,
        completion: @escaping @Sendable (JResponse) -> Void
    ) {
        Task {
            guard let status = NotifyStatus(rawValue: status.rawValue) else { return completion(.unknownStatus) }
            let parameters = NotifyParameters(
                bankId: bankId, uniqueId: uniqueId, sessionId: sessionId, status: status)
            completion(JResponse(await PINDistribution.postNotifyRequest(parameters, hostUrl: hostURL)))
        }
    }

    /// Fetches the cardholder's PIN with a token that the bank's back-end has signed (4.2.2).
    ///
    /// - Parameters:
    ///   - token: The token in JSON (section 5.4.1), byte for byte as the bank signed it.
    ///   - signature: The token's signature in base64.
    ///   - hostURL: The server's base URL.
    ///   - completion: Receives the PIN or the code of an error.
    public static func postGetPINCaptchaTokenRequest(
        _ token: String, signature: String, hostURL: String,
        completion: @escaping @Sendable (PINCodeProvisioningJResponse) -> Void
    ) {
        let parameters = TokenProvisioningParameters(token: token, signature: signature)
        Task {
            let response = await PINDistribution.postGetPINCaptchaTokenRequest(parameters, hostUrl: hostURL)
            completion(PINCodeProvisioningJResponse(response))
        }
    }

    /// Notifies the server whether the app showed a PIN that it fetched with a token (4.2.2).
    ///
    /// The parameters are those of the document's code sample and of Android (4.2.1). The document's table for iOS repeats
    /// the one of ``postNotifyRequest(_:uniqueId:sessionId:status:hostURL:completion:)``, without the token that the
    /// operation needs.
    ///
    /// - Parameters:
    ///   - token: The token that the fetch sent.
    ///   - sessionId: The session of the fetch.
    ///   - status: Whether the app showed the PIN. Objective-C can pass other values: they give 90000.
    ///   - hostURL: The server's base URL.
    ///   - completion: Receives the result.
    public static func postNotifyTokenRequest(
        _ token: String, sessionId: String, status: GETPIN_STATUS, hostURL: String,
        completion: @escaping @Sendable (JResponse) -> Void
    ) {
        Task {
            guard let status = NotifyStatus(rawValue: status.rawValue) else { return completion(.unknownStatus) }
            let parameters = TokenNotifyParameters(token: token, sessionId: sessionId, status: status)
            completion(JResponse(await PINDistribution.postNotifyTokenRequest(parameters, hostUrl: hostURL)))
        }
    }

    /// Defines a PIN. The bank's HMAC authenticates the request (4.3.2).
    ///
    /// - Parameters:
    ///   - bankId: The bank's identifier.
    ///   - uniqueId: The cardholder's unique identifier.
    ///   - timestamp: Unix time in seconds, such as `1475255010`.
    ///   - hashMac: The bank's HMAC-SHA-256 over bankId + uniqueId + timestamp in hex.
    ///   - PIN: The PIN's digits, such as `1234`.
    ///   - hostURL: The server's base URL.
    ///   - completion: Receives the result.
    public static func postDefinePINRequest(
        _ bankId: String, uniqueId: String, timestamp: String, hashMac: String, PIN: String, hostURL: String,
        completion: @escaping @Sendable (JResponse) -> Void
    ) {
        let parameters = DefinitionParameters(
            bankId: bankId, uniqueId: uniqueId, timestamp: timestamp, hashMac: hashMac, pin: PIN)
        Task { completion(JResponse(await PINDefinition.postDefinePINRequest(parameters, hostUrl: hostURL))) }
    }

    /// Defines a PIN. A token that the bank's back-end has signed authenticates the request (4.4.2).
    ///
    /// - Parameters:
    ///   - token: The token in JSON (section 5.4.1), byte for byte as the bank signed it.
    ///   - signature: The token's signature in base64.
    ///   - pin: The PIN's digits, such as `1234`.
    ///   - hostURL: The server's base URL.
    ///   - completion: Receives the result.
    public static func postDefinePinRequestECDH(
        _ token: String, signature: String, pin: String, hostURL: String,
        completion: @escaping @Sendable (DefinePinTokenRequest) -> Void
    ) {
        let parameters = DefinitionTokenParameters(token: token, signature: signature, pin: pin)
        Task {
            completion(
                DefinePinTokenRequest(await PINDefinition.postDefinePINECDHRequest(parameters, hostUrl: hostURL)))
        }
    }

    /// Fetches a keypad with its digits at random places (4.5.2).
    ///
    /// - Parameters:
    ///   - bankId: The bank's identifier (IdBEL).
    ///   - uniqueId: The cardholder's unique identifier (IdPorteur).
    ///   - keypadSize: The number of places on the keypad in decimal digits, `10` to `60`.
    ///   - hostURL: The server's base URL.
    ///   - completion: Receives the keypad or the code of an error: 90000 if `keypadSize` is not a number.
    public static func postGetCoordinateKeypad(
        _ bankId: String, uniqueId: String, keypadSize: String, hostURL: String,
        completion: @escaping @Sendable (GetKeypadCoordJResponse) -> Void
    ) {
        Task {
            guard let size = Int(keypadSize) else {
                let error = SDKError(.invalidInput, "keypadSize must be a number")
                return completion(GetKeypadCoordJResponse(KeyPadCoordinatesResponse(error)))
            }
            let parameters = KeyPadCoordinatesParameters(bankId: bankId, uniqueId: uniqueId, keypadSize: size)
            let response = await PINDefinition.postGetKeyPadCoordinatesRequest(parameters, hostUrl: hostURL)
            completion(GetKeypadCoordJResponse(response))
        }
    }

    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// Defines a PIN by the indexes of its digits on the keypad that was fetched last (4.5.2). A token authenticates the
    /// request. If several keypads were fetched since the last definition, the code is 90000: see
    /// ``discardKeypads(_:uniqueId:completion:)``.
    ///
    /// - Parameters:
    ///   - token: The token in JSON (section 5.4.1), byte for byte as the bank signed it.
    ///   - signature: The token's signature in base64.
    ///   - indexes: The index of each digit, such as `0,1,0,1`.
    ///   - hostURL: The server's base URL.
    ///   - completion: Receives the result. It is also a `JResponse`: the document's table and sample name one each.
    public static func postDefinePinRequestECDH_CB(
        _ token: String, signature: String, indexes: String, hostURL: String,
        completion: @escaping @Sendable (DefinePinTokenRequest) -> Void
    ) {
        let parameters = DefinitionTokenParameters(token: token, signature: signature, indexes: indexes)
        Task {
            let response = await PINDefinition.postDefinePINECDHCBRequest(parameters, hostUrl: hostURL)
            completion(DefinePinTokenRequest(response))
        }
    }

    /// Forgets the keypads of a cardholder, before a new one is fetched. Not in the document; for Objective-C, which does
    /// not see ``PINDefinition/discardKeypads(bankId:uniqueId:session:)``.
    public static func discardKeypads(
        _ bankId: String, uniqueId: String, completion: @escaping @Sendable () -> Void
    ) {
        Task {
            await PINDefinition.discardKeypads(bankId: bankId, uniqueId: uniqueId)
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
        Task { completion(await CardCompanionSession.shared.restore(notifyReceipt: notifyReceipt)) }
    }
}

// The names of this type are the SDK document's.
// swift-format-ignore: AlwaysUseLowerCamelCase
/// Whether the app showed the PIN, with the names of the SDK document's section 5.2. In Swift also ``NotifyStatus``.
#if canImport(ObjectiveC)
    @objc
#endif
public enum GETPIN_STATUS: Int, CaseIterable, Sendable {
    /// The app showed the PIN. This confirms the delivery.
    case SUCCESS = 0
    /// The app could not use the server's answer.
    case SERVER_ERROR = 1
    /// The app could not show the PIN.
    case APP_ERROR = 2
}

extension JResponse {
    fileprivate static var unknownStatus: JResponse {
        JResponse(NotifyResponse(SDKError(.invalidInput, "status must be 0, 1 or 2")))
    }
}
