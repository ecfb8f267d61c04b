public import CardCompanionAPI

/// A delivered PIN, or why there is none.
public struct ProvisioningResponse: Sendable, Redacted, Response {
    /// 0, a `DistributionCode` of the server's, or a `LibraryCode` of the SDK's.
    public var errorCode: Int
    /// The code's meaning, for people.
    public var errorMessage: String
    /// The PIN as one captcha image: PNG in base64. Nil where the bank delivers digit images.
    public var pin: String?
    /// The images to show, PNG in base64: the captcha, or one image a digit in the PIN's order.
    public var images: [String]
    /// What the notify must name.
    public var sessionId: String?
    /// The bank's text to the cardholder.
    public var freeField: String?

    init(errorCode: Int, errorMessage: String) {
        self.errorCode = errorCode
        self.errorMessage = errorMessage
        images = []
    }
}

/// How a notify went.
public struct NotifyResponse: Sendable, Response {
    /// 0, a `DistributionCode` of the server's, or a `LibraryCode` of the SDK's.
    public var errorCode: Int
    /// The code's meaning, for people.
    public var errorMessage: String
}

/// How a notify by token went.
public typealias TokenNotifyResponse = NotifyResponse
