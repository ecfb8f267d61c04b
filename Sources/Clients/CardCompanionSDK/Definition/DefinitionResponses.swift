/// When a PIN that the cardholder has chosen works with the card, as the bank says.
public enum DefinedPINEffect: String, Sendable {
    /// At once.
    case now
    /// When the bank's host has it. The app can say so, for example "Your new PIN works from tomorrow".
    case later
}

/// The result of a PIN definition.
public struct DefinitionResponse: Sendable, Response {
    /// 0 for success, else a `DefinitionCode` from the server or a `LibraryCode` from the SDK.
    public var errorCode: Int
    /// The code's meaning in words, for people.
    public var errorMessage: String
    /// After how many seconds the app may try again, if the server was too busy (code 90015 with HTTP status 429 or 503)
    /// and said so. Nil otherwise.
    public var retryAfterSeconds: Int?
    /// When the PIN works with the card. Nil on an error, and if the bank does not say so.
    public var effective: DefinedPINEffect?

    init(errorCode: Int, errorMessage: String) {
        self.errorCode = errorCode
        self.errorMessage = errorMessage
    }
}

/// A keypad, or the code of an error.
public struct KeyPadCoordinatesResponse: Sendable, Response {
    /// 0 for success, else a `DefinitionCode` from the server or a `LibraryCode` from the SDK.
    public var errorCode: Int
    /// The code's meaning in words, for people.
    public var errorMessage: String
    /// The digit at each place of the keypad, nil if the place is empty (SDK document, section 5.5). On an error this
    /// array is empty.
    public var keypad: [String?]
    /// The keypad's identifier. Nil on an error.
    public var keypadId: String?
    /// After how many seconds the app may try again, if the server was too busy (code 90015 with HTTP status 429 or 503)
    /// and said so. Nil otherwise.
    public var retryAfterSeconds: Int?

    init(errorCode: Int, errorMessage: String) {
        self.errorCode = errorCode
        self.errorMessage = errorMessage
        keypad = []
    }
}
