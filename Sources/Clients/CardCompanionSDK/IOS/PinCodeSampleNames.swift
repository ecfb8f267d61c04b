// The calls of the document's code samples where their names or order are not those of its tables. They wait for the response, as
// the samples do.
extension PinCodeRequest {
    /// The sample's form of ``postGetPINRequest(_:uniqueId:ac:timestamp:hashMac:hostURL:)`` (4.1.2).
    ///
    /// - Parameters:
    ///   - bankId: The bank's identifier.
    ///   - uniqueId: The cardholder's unique identifier.
    ///   - ac: The cardholder's authentication code.
    ///   - timestamp: Unix time in seconds, such as `1475255010`, as a text or a number.
    ///   - hmac: The bank's HMAC-SHA-256 over bankId + uniqueId + timestamp in hex.
    ///   - hostURL: The server's base URL.
    /// - Returns: The response. It waits for it: see ``PinCodeRequest``.
    @available(*, noasync, message: "it waits: call the function with a completion handler")
    public static func postGetPinRequest(
        _ bankId: String, uniqueId: String, ac: String, timestamp: Any, hmac: String, hostURL: String
    ) -> PINCodeProvisioningJResponse {
        fetch(bankId, uniqueId, ac, "\(timestamp)", hmac, hostURL).wait()
    }

    /// The sample's form of ``postGetPINCaptchaTokenRequest(_:signature:hostURL:)`` (4.2.2).
    ///
    /// - Parameters:
    ///   - token: The token in JSON (section 5.4.1), byte for byte as the bank signed it.
    ///   - signature: The token's signature in base64.
    ///   - hostURL: The server's base URL.
    /// - Returns: The response. It waits for it: see ``PinCodeRequest``.
    @available(*, noasync, message: "it waits: call the function with a completion handler")
    public static func postGetPinCaptchaTokenRequest(_ token: String, signature: String, hostURL: String)
        -> PINCodeProvisioningJResponse
    {
        fetch(token, signature, hostURL).wait()
    }

    /// The sample's form of ``postDefinePINRequest(_:uniqueId:timestamp:hashMac:PIN:hostURL:)`` (4.3.2). The sample itself has no PIN.
    ///
    /// - Parameters:
    ///   - bankId: The bank's identifier.
    ///   - uniqueId: The cardholder's unique identifier.
    ///   - timestamp: Unix time in seconds, such as `1475255010`, as a text or a number.
    ///   - hmac: The bank's HMAC-SHA-256 over bankId + uniqueId + timestamp in hex.
    ///   - PIN: The PIN's digits, such as `1234`.
    ///   - hostURL: The server's base URL.
    /// - Returns: The response. It waits for it: see ``PinCodeRequest``.
    @available(*, noasync, message: "it waits: call the function with a completion handler")
    public static func postDefinePinRequest(
        _ bankId: String, uniqueId: String, timestamp: Any, hmac: String, PIN: String, hostURL: String
    ) -> JResponse {
        define(bankId, uniqueId, "\(timestamp)", hmac, PIN, hostURL).wait()
    }

    /// The sample's form of ``postGetCoordinateKeypad(_:uniqueId:keypadSize:hostURL:)`` (4.5.2).
    ///
    /// - Parameters:
    ///   - bankId: The bank's identifier.
    ///   - uniqueId: The cardholder's unique identifier.
    ///   - hostURL: The server's base URL.
    ///   - keypadSize: The number of places on the keypad in decimal digits, `10` to `60`. If it is not a number, the code is 90000.
    /// - Returns: The response. It waits for it: see ``PinCodeRequest``.
    @available(*, noasync, message: "it waits: call the function with a completion handler")
    public static func postGetCoodinateKeypad(_ bankId: String, uniqueId: String, hostURL: String, keypadSize: String)
        -> GetKeypadCoordJResponse
    {
        keypad(bankId, uniqueId, keypadSize, hostURL).wait()
    }

    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// The sample's form of ``postDefinePinRequestECDH_CB(_:signature:indexes:hostURL:)`` (4.5.2).
    ///
    /// - Parameters:
    ///   - token: The token in JSON (section 5.4.1), byte for byte as the bank signed it.
    ///   - pinIndex: The index of each digit, such as `0,1,0,1`.
    ///   - signature: The token's signature in base64.
    ///   - hostURL: The server's base URL.
    /// - Returns: The response. It waits for it: see ``PinCodeRequest``.
    @available(*, noasync, message: "it waits: call the function with a completion handler")
    public static func postDefinePinRequestECDH_CB(
        _ token: String, pinIndex: String, signature: String, hostURL: String
    ) -> DefinePinTokenRequest {
        define(token, signature, indexes: pinIndex, hostURL).wait()
    }

    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// The sample's form of ``postDefinePinRequestECDH_CB(_:signature:indexes:hostURL:)`` (4.5.2).
    ///
    /// - Parameters:
    ///   - token: The token in JSON (section 5.4.1), byte for byte as the bank signed it.
    ///   - pinIndexes: The index of each digit, such as `0,1,0,1`.
    ///   - signature: The token's signature in base64.
    ///   - hostURL: The server's base URL.
    /// - Returns: The response. It waits for it: see ``PinCodeRequest``.
    @available(*, noasync, message: "it waits: call the function with a completion handler")
    public static func postDefinePinRequestECDH_CB(
        _ token: String, pinIndexes: String, signature: String, hostURL: String
    ) -> DefinePinTokenRequest {
        define(token, signature, indexes: pinIndexes, hostURL).wait()
    }

    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// The name of ``postDefinePinRequestECDH_CB(_:signature:indexes:hostURL:)`` in the list of section 4.5.2.
    ///
    /// - Parameters:
    ///   - token: The token in JSON (section 5.4.1), byte for byte as the bank signed it.
    ///   - signature: The token's signature in base64.
    ///   - indexes: The index of each digit, such as `0,1,0,1`.
    ///   - hostURL: The server's base URL.
    /// - Returns: The response. It waits for it: see ``PinCodeRequest``.
    @available(*, noasync, message: "it waits: call the function with a completion handler")
    public static func postDefineTokenRequestECDH_CB(
        _ token: String, signature: String, indexes: String, hostURL: String
    ) -> DefinePinTokenRequest {
        define(token, signature, indexes: indexes, hostURL).wait()
    }

    /// The sample's form of ``postNotifyRequest(_:uniqueId:sessionId:status:hostURL:)`` in Swift, with the status as a number. In
    /// Objective-C a number is the status.
    #if canImport(ObjectiveC)
        @nonobjc
    #endif
    @available(*, noasync, message: "it waits: call the function with a completion handler")
    public static func postNotifyRequest(
        _ bankId: String, uniqueId: String, sessionId: String, status: Int, hostURL: String
    ) -> JResponse {
        notify(bankId, uniqueId, sessionId, status, hostURL).wait()
    }

    /// The same for ``postNotifyTokenRequest(_:sessionId:status:hostURL:)``.
    #if canImport(ObjectiveC)
        @nonobjc
    #endif
    @available(*, noasync, message: "it waits: call the function with a completion handler")
    public static func postNotifyTokenRequest(
        _ token: String, sessionId: String, status: Int, hostURL: String
    ) -> JResponse {
        notify(token, sessionId, status, hostURL).wait()
    }
}
