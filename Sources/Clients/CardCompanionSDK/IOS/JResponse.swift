public import CardCompanionAPI
public import Foundation

// The responses with the names that the SDK document uses on iOS (sections 4.1.2 to 4.5.2). They are classes, because
// Objective-C has no Swift structs. Their properties never change, so they are Sendable; the compiler cannot check that
// for a class with subclasses.

/// The result of an operation of ``PinCodeRequest``.
#if canImport(ObjectiveC)
    @objcMembers
#endif
public class JResponse: NSObject, @unchecked Sendable {
    /// 0 for success, else a code of the SDK document's section 5.1 or 5.3.
    public let errorCode: Int
    /// The code's meaning in words, for people.
    public let errorMessage: String
    /// After how many seconds the app may try again, if the server was too busy (code 90015 with HTTP status 429 or 503)
    /// and said so. Nil otherwise. A number object, because Objective-C has no optional integers.
    public let retryAfterSeconds: NSNumber?
    /// After a PIN definition: `now` or `later`, when the PIN works with the card. Nil otherwise, and if the bank does not say so.
    public let effective: String?

    init(_ response: any Response) {
        errorCode = response.errorCode
        errorMessage = response.errorMessage
        retryAfterSeconds = response.retryAfterSeconds.map { NSNumber(value: $0) }
        effective = (response as? DefinitionResponse)?.effective?.rawValue
    }
}

/// A delivered PIN, or the code of an error.
#if canImport(ObjectiveC)
    @objcMembers
#endif
public class PinCodeProvisioningJResponse: JResponse, @unchecked Sendable {
    private let response: ProvisioningResponse

    /// The PIN as one captcha image, PNG in base64. Nil on an error, and if the bank delivers one image per digit: any of them
    /// alone would look like a whole PIN. ``images`` has them.
    public var imageData: String? { response.pin }
    /// The images to show, PNG in base64: the captcha, or one image per digit in the PIN's order. Empty on an error.
    public var images: [String] { response.images }
    /// The session that the notify must send. Nil on an error, except 90013: the app can notify the server of it.
    public var sessionId: String? { response.sessionId }
    /// The bank's text for the cardholder.
    public var freeField: String? { response.freeField }
    /// A text that an app may store, so that it can still notify the server after a restart: see
    /// ``PinCodeRequest/restore(notifyReceipt:completion:)``. It contains the notify key, so store it in the keychain, and
    /// delete it after the notify. Nil without a session.
    public var notifyReceipt: String? { response.notifyReceipt }

    init(_ response: ProvisioningResponse) {
        self.response = response
        super.init(response)
    }
}

/// A delivered PIN under the name of the document's tables. Its samples have the other one.
#if canImport(ObjectiveC)
    @objcMembers
#endif
public final class PINCodeProvisioningJResponse: PinCodeProvisioningJResponse, @unchecked Sendable {}

/// The result of a PIN definition by token.
#if canImport(ObjectiveC)
    @objcMembers
#endif
public final class DefinePinTokenRequest: JResponse, @unchecked Sendable {}

/// A keypad, or the code of an error.
#if canImport(ObjectiveC)
    @objcMembers
#endif
public final class GetKeypadCoordJResponse: JResponse, @unchecked Sendable {
    /// The digit at each place of the keypad, `null` if the place is empty, as in the SDK document's section 5.5:
    /// `[4, 3, 2, null, 6, 9, 0, 7, 5, null, 8, 1]`. Nil on an error.
    public let keyPad: String?

    init(_ response: KeyPadCoordinatesResponse) {
        let places = response.keypad.map { $0 ?? "null" }
        keyPad = places.isEmpty ? nil : "[\(places.joined(separator: ", "))]"
        super.init(response)
    }
}

extension PinCodeProvisioningJResponse: Redacted {}
