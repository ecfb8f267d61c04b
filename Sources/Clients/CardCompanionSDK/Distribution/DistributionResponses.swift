public import CardCompanionAPI
internal import Crypto

/// A delivered PIN, or the code of an error.
public struct ProvisioningResponse: Sendable, Redacted, Response {
    /// 0 for success, else a `DistributionCode` from the server or a `LibraryCode` from the SDK.
    public var errorCode: Int
    /// The code's meaning in words, for people.
    public var errorMessage: String
    /// The PIN as one captcha image, PNG in base64. Nil on an error, for ``text``, and if the bank delivers one image per digit:
    /// any of them alone would look like a whole PIN. ``images`` has them.
    public var pin: String?
    /// The images to show, PNG in base64: the captcha, or one image per digit in the PIN's order. Empty on an error,
    /// and for ``text``.
    public var images: [String]
    /// The PIN's digits, to show large or to speak: only if ``DisplayHints/acceptsText`` was set, for a cardholder whom the bank
    /// has marked. Forget it as soon as it was shown.
    public var text: String?
    /// The session that the notify must send. Nil on an error, except 90013: the app can notify the server of it.
    public var sessionId: String?
    /// The bank's text for the cardholder.
    public var freeField: String?
    /// After how many seconds the app may try again, if the server was too busy (code 90015 with HTTP status 429 or 503)
    /// and said so. Nil otherwise.
    public var retryAfterSeconds: Int?

    /// A text that an app may store, so that it can still notify the server after a restart: see
    /// ``CardCompanionSession/restore(notifyReceipt:)``. Nil without a session.
    ///
    /// It contains the notify key. Whoever has it can confirm this delivery, but cannot see the PIN. Store it in the
    /// keychain, and delete it after the notify. The SDK makes it only when the app reads this property.
    public var notifyReceipt: String? {
        guard let sessionId, let notifyKey else { return nil }
        return NotifyReceipt(sessionId: sessionId, key: notifyKey).text
    }

    var notifyKey: SymmetricKey?

    init(errorCode: Int, errorMessage: String) {
        self.errorCode = errorCode
        self.errorMessage = errorMessage
        images = []
    }
}

/// The result of a notify.
public struct NotifyResponse: Sendable, Response {
    /// 0 for success, else a `DistributionCode` from the server or a `LibraryCode` from the SDK.
    public var errorCode: Int
    /// The code's meaning in words, for people.
    public var errorMessage: String
    /// After how many seconds the app may try again, if the server was too busy (code 90015 with HTTP status 429 or 503)
    /// and said so. Nil otherwise.
    public var retryAfterSeconds: Int?

    init(errorCode: Int, errorMessage: String) {
        self.errorCode = errorCode
        self.errorMessage = errorMessage
    }
}

/// The result of a notify by token.
public typealias TokenNotifyResponse = NotifyResponse
