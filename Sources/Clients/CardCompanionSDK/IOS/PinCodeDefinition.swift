// The operations of PIN definition (SDK document, sections 4.3.2 to 4.5.2), under the names of the tables.
extension PinCodeRequest {
    /// Defines a PIN. The bank's HMAC authenticates the request (4.3.2).
    ///
    /// - Parameters:
    ///   - bankId: The bank's identifier.
    ///   - uniqueId: The cardholder's unique identifier.
    ///   - timestamp: Unix time in seconds, such as `1475255010`.
    ///   - hashMac: The bank's HMAC-SHA-256 over bankId + uniqueId + timestamp in hex.
    ///   - PIN: The PIN's digits, such as `1234`.
    ///   - hostURL: The server's base URL.
    /// - Returns: The response. It waits for it: see ``PinCodeRequest``.
    @available(*, noasync, message: "it waits: call the function with a completion handler")
    public static func postDefinePINRequest(
        _ bankId: String, uniqueId: String, timestamp: String, hashMac: String, PIN: String, hostURL: String
    ) -> JResponse {
        define(bankId, uniqueId, timestamp, hashMac, PIN, hostURL).wait()
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
    ///   - completion: Receives the response, once, on any thread.
    public static func postDefinePINRequest(
        _ bankId: String, uniqueId: String, timestamp: String, hashMac: String, PIN: String, hostURL: String,
        completion: @escaping @Sendable (JResponse) -> Void
    ) {
        define(bankId, uniqueId, timestamp, hashMac, PIN, hostURL).start(completion)
    }

    /// Defines a PIN. A token that the bank's back-end has signed authenticates the request (4.4.2).
    ///
    /// - Parameters:
    ///   - token: The token in JSON (section 5.4.1), byte for byte as the bank signed it.
    ///   - signature: The token's signature in base64.
    ///   - pin: The PIN's digits, such as `1234`.
    ///   - hostURL: The server's base URL.
    /// - Returns: The response. It waits for it: see ``PinCodeRequest``.
    @available(*, noasync, message: "it waits: call the function with a completion handler")
    public static func postDefinePinRequestECDH(_ token: String, signature: String, pin: String, hostURL: String)
        -> DefinePinTokenRequest
    {
        define(token, signature, pin: pin, hostURL).wait()
    }

    /// Defines a PIN. A token that the bank's back-end has signed authenticates the request (4.4.2).
    ///
    /// - Parameters:
    ///   - token: The token in JSON (section 5.4.1), byte for byte as the bank signed it.
    ///   - signature: The token's signature in base64.
    ///   - pin: The PIN's digits, such as `1234`.
    ///   - hostURL: The server's base URL.
    ///   - completion: Receives the response, once, on any thread.
    public static func postDefinePinRequestECDH(
        _ token: String, signature: String, pin: String, hostURL: String,
        completion: @escaping @Sendable (DefinePinTokenRequest) -> Void
    ) {
        define(token, signature, pin: pin, hostURL).start(completion)
    }

    /// Fetches a keypad with its digits at random places (4.5.2).
    ///
    /// - Parameters:
    ///   - bankId: The bank's identifier.
    ///   - uniqueId: The cardholder's unique identifier.
    ///   - keypadSize: The number of places on the keypad in decimal digits, `10` to `60`. If it is not a number, the code is 90000.
    ///   - hostURL: The server's base URL.
    /// - Returns: The response. It waits for it: see ``PinCodeRequest``.
    @available(*, noasync, message: "it waits: call the function with a completion handler")
    public static func postGetCoordinateKeypad(_ bankId: String, uniqueId: String, keypadSize: String, hostURL: String)
        -> GetKeypadCoordJResponse
    {
        keypad(bankId, uniqueId, keypadSize, hostURL).wait()
    }

    /// Fetches a keypad with its digits at random places (4.5.2).
    ///
    /// - Parameters:
    ///   - bankId: The bank's identifier.
    ///   - uniqueId: The cardholder's unique identifier.
    ///   - keypadSize: The number of places on the keypad in decimal digits, `10` to `60`. If it is not a number, the code is 90000.
    ///   - hostURL: The server's base URL.
    ///   - completion: Receives the response, once, on any thread.
    public static func postGetCoordinateKeypad(
        _ bankId: String, uniqueId: String, keypadSize: String, hostURL: String,
        completion: @escaping @Sendable (GetKeypadCoordJResponse) -> Void
    ) {
        keypad(bankId, uniqueId, keypadSize, hostURL).start(completion)
    }

    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// Defines a PIN by the indexes of its digits on the keypad that was fetched last (4.5.2). A token authenticates the request. If two
    /// keypads were requested at the same time, the code is 90000 until one was requested alone.
    ///
    /// - Parameters:
    ///   - token: The token in JSON (section 5.4.1), byte for byte as the bank signed it.
    ///   - signature: The token's signature in base64.
    ///   - indexes: The index of each digit, such as `0,1,0,1`.
    ///   - hostURL: The server's base URL.
    /// - Returns: The response. It waits for it: see ``PinCodeRequest``.
    @available(*, noasync, message: "it waits: call the function with a completion handler")
    public static func postDefinePinRequestECDH_CB(_ token: String, signature: String, indexes: String, hostURL: String)
        -> DefinePinTokenRequest
    {
        define(token, signature, indexes: indexes, hostURL).wait()
    }

    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// Defines a PIN by the indexes of its digits on the keypad that was fetched last (4.5.2). A token authenticates the request. If two
    /// keypads were requested at the same time, the code is 90000 until one was requested alone.
    ///
    /// - Parameters:
    ///   - token: The token in JSON (section 5.4.1), byte for byte as the bank signed it.
    ///   - signature: The token's signature in base64.
    ///   - indexes: The index of each digit, such as `0,1,0,1`.
    ///   - hostURL: The server's base URL.
    ///   - completion: Receives the response, once, on any thread.
    public static func postDefinePinRequestECDH_CB(
        _ token: String, signature: String, indexes: String, hostURL: String,
        completion: @escaping @Sendable (DefinePinTokenRequest) -> Void
    ) {
        define(token, signature, indexes: indexes, hostURL).start(completion)
    }
}
