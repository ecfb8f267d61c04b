/// The answer to a fetch, ``APIPath/captcha`` and ``APIPath/tokenCaptcha``.
public struct CaptchaAnswer: Codable, Sendable {
    /// A ``DistributionCode``.
    public var errorCode: Int
    /// The code's meaning, for people.
    public var errorMessage: String
    /// With success: the delivered PIN, a compact JWE to the client's key.
    public var pin: String?
    /// With success: the session to notify.
    public var sessionId: String?

    /// An answer.
    public init(errorCode: Int, errorMessage: String, pin: String? = nil, sessionId: String? = nil) {
        self.errorCode = errorCode
        self.errorMessage = errorMessage
        self.pin = pin
        self.sessionId = sessionId
    }
}

/// The answer to an operation that says no more than how it went.
public struct StatusAnswer: Codable, Sendable {
    /// A ``DistributionCode`` or ``DefinitionCode``.
    public var errorCode: Int
    /// The code's meaning, for people.
    public var errorMessage: String

    /// An answer.
    public init(errorCode: Int, errorMessage: String) {
        self.errorCode = errorCode
        self.errorMessage = errorMessage
    }
}

/// The answer to ``APIPath/keypadCoordinates``.
public struct KeypadAnswer: Codable, Sendable {
    /// A ``DefinitionCode``.
    public var errorCode: Int
    /// The code's meaning, for people.
    public var errorMessage: String
    /// With success: a digit or null at each place.
    public var keypad: [String?]?
    /// With success: the keypad's name.
    public var keypadId: String?

    /// An answer.
    public init(errorCode: Int, errorMessage: String, keypad: [String?]? = nil, keypadId: String? = nil) {
        self.errorCode = errorCode
        self.errorMessage = errorMessage
        self.keypad = keypad
        self.keypadId = keypadId
    }
}
