/// How the definition of a PIN went.
public struct DefinitionResponse: Sendable, Response {
    /// 0, a `DefinitionCode` of the server's, or a `LibraryCode` of the SDK's.
    public var errorCode: Int
    /// The code's meaning, for people.
    public var errorMessage: String
}

/// A keypad, or why there is none.
public struct KeyPadCoordinatesResponse: Sendable, Response {
    /// 0, a `DefinitionCode` of the server's, or a `LibraryCode` of the SDK's.
    public var errorCode: Int
    /// The code's meaning, for people.
    public var errorMessage: String
    /// The digit at each place of the keypad, nil at an empty place (section 5.5). Empty without success.
    public var keypad: [String?]
    /// The keypad's name.
    public var keypadId: String?

    init(errorCode: Int, errorMessage: String) {
        self.errorCode = errorCode
        self.errorMessage = errorMessage
        keypad = []
    }
}
