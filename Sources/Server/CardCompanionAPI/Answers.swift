/// The answer to a fetch (``APIPath/captcha``, ``APIPath/tokenCaptcha``).
public struct CaptchaAnswer: Codable, Sendable {
    /// A ``DistributionCode``.
    public var errorCode: Int
    /// The code's meaning in words, for people.
    public var errorMessage: String
    /// Only on success: the delivered PIN, a compact JWE encrypted to the client's key.
    public var pin: String?
    /// Only on success: the session's identifier, which the notify must send.
    public var sessionId: String?

    /// Creates an answer. Without success, it has no PIN and no session.
    public init(errorCode: Int, errorMessage: String, pin: String? = nil, sessionId: String? = nil) {
        self.errorCode = errorCode
        self.errorMessage = errorMessage
        self.pin = pin
        self.sessionId = sessionId
    }
}

/// The answer to an operation that returns only a code.
public struct StatusAnswer: Codable, Sendable {
    /// A ``DistributionCode`` or ``DefinitionCode``.
    public var errorCode: Int
    /// The code's meaning in words, for people.
    public var errorMessage: String

    /// Creates an answer from a code and its message.
    public init(errorCode: Int, errorMessage: String) {
        self.errorCode = errorCode
        self.errorMessage = errorMessage
    }
}

/// The answer to the operations that define a PIN.
public struct DefinitionAnswer: Codable, Sendable {
    /// A ``DefinitionCode``.
    public var errorCode: Int
    /// The code's meaning in words, for people.
    public var errorMessage: String
    /// When the PIN works with the card: `now` or `later`; nil if the bank does not say so.
    public var effective: String?

    /// Creates an answer from a code, its message, and when the PIN works.
    public init(errorCode: Int, errorMessage: String, effective: String? = nil) {
        self.errorCode = errorCode
        self.errorMessage = errorMessage
        self.effective = effective
    }
}

/// The answer to ``APIPath/keypadCoordinates``.
public struct KeypadAnswer: Codable, Sendable {
    /// A ``DefinitionCode``.
    public var errorCode: Int
    /// The code's meaning in words, for people.
    public var errorMessage: String
    /// Only on success: the digit at each place of the keypad, nil (JSON null) if the place is empty.
    public var keypad: [String?]?
    /// Only on success: the keypad's identifier.
    public var keypadId: String?

    /// Creates an answer. Without success, it has no keypad.
    public init(errorCode: Int, errorMessage: String, keypad: [String?]? = nil, keypadId: String? = nil) {
        self.errorCode = errorCode
        self.errorMessage = errorMessage
        self.keypad = keypad
        self.keypadId = keypadId
    }
}
