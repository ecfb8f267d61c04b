// The operations of PIN distribution (SDK document, sections 4.1.2 and 4.2.2), under the names of the tables.
extension PinCodeRequest {
    /// Fetches the cardholder's PIN with an authentication code (4.1.2).
    ///
    /// - Parameters:
    ///   - bankId: The bank's identifier.
    ///   - uniqueId: The cardholder's unique identifier.
    ///   - ac: The cardholder's authentication code.
    ///   - timestamp: Unix time in seconds, such as `1475255010`.
    ///   - hashMac: The bank's HMAC-SHA-256 over bankId + uniqueId + timestamp in hex.
    ///   - hostURL: The server's base URL.
    /// - Returns: The response. It waits for it: see ``PinCodeRequest``.
    @available(*, noasync, message: "it waits: call the function with a completion handler")
    public static func postGetPINRequest(
        _ bankId: String, uniqueId: String, ac: String, timestamp: String, hashMac: String, hostURL: String
    ) -> PINCodeProvisioningJResponse {
        fetch(bankId, uniqueId, ac, timestamp, hashMac, hostURL).wait()
    }

    /// Fetches the cardholder's PIN with an authentication code (4.1.2).
    ///
    /// - Parameters:
    ///   - bankId: The bank's identifier.
    ///   - uniqueId: The cardholder's unique identifier.
    ///   - ac: The cardholder's authentication code.
    ///   - timestamp: Unix time in seconds, such as `1475255010`.
    ///   - hashMac: The bank's HMAC-SHA-256 over bankId + uniqueId + timestamp in hex.
    ///   - hostURL: The server's base URL.
    ///   - completion: Receives the response, once, on any thread.
    public static func postGetPINRequest(
        _ bankId: String, uniqueId: String, ac: String, timestamp: String, hashMac: String, hostURL: String,
        completion: @escaping @Sendable (PINCodeProvisioningJResponse) -> Void
    ) {
        fetch(bankId, uniqueId, ac, timestamp, hashMac, hostURL).start(completion)
    }

    /// Notifies the server whether the app showed a PIN that it fetched with an authentication code (4.1.2).
    ///
    /// - Parameters:
    ///   - bankId: The bank's identifier.
    ///   - uniqueId: The cardholder's unique identifier.
    ///   - sessionId: The session of the fetch.
    ///   - status: Whether the app showed the PIN. Objective-C can pass other values: they give 90000.
    ///   - hostURL: The server's base URL.
    /// - Returns: The response. It waits for it: see ``PinCodeRequest``.
    @available(*, noasync, message: "it waits: call the function with a completion handler")
    public static func postNotifyRequest(
        _ bankId: String, uniqueId: String, sessionId: String, status: GETPIN_STATUS, hostURL: String
    ) -> JResponse {
        notify(bankId, uniqueId, sessionId, status.rawValue, hostURL).wait()
    }

    /// Notifies the server whether the app showed a PIN that it fetched with an authentication code (4.1.2).
    ///
    /// - Parameters:
    ///   - bankId: The bank's identifier.
    ///   - uniqueId: The cardholder's unique identifier.
    ///   - sessionId: The session of the fetch.
    ///   - status: Whether the app showed the PIN. Objective-C can pass other values: they give 90000.
    ///   - hostURL: The server's base URL.
    ///   - completion: Receives the response, once, on any thread.
    public static func postNotifyRequest(
        _ bankId: String, uniqueId: String, sessionId: String, status: GETPIN_STATUS, hostURL: String,
        completion: @escaping @Sendable (JResponse) -> Void
    ) {
        notify(bankId, uniqueId, sessionId, status.rawValue, hostURL).start(completion)
    }

    /// Fetches the cardholder's PIN with a token that the bank's back-end has signed (4.2.2).
    ///
    /// - Parameters:
    ///   - token: The token in JSON (section 5.4.1), byte for byte as the bank signed it.
    ///   - signature: The token's signature in base64.
    ///   - hostURL: The server's base URL.
    /// - Returns: The response. It waits for it: see ``PinCodeRequest``.
    @available(*, noasync, message: "it waits: call the function with a completion handler")
    public static func postGetPINCaptchaTokenRequest(_ token: String, signature: String, hostURL: String)
        -> PINCodeProvisioningJResponse
    {
        fetch(token, signature, hostURL).wait()
    }

    /// Fetches the cardholder's PIN with a token that the bank's back-end has signed (4.2.2).
    ///
    /// - Parameters:
    ///   - token: The token in JSON (section 5.4.1), byte for byte as the bank signed it.
    ///   - signature: The token's signature in base64.
    ///   - hostURL: The server's base URL.
    ///   - completion: Receives the response, once, on any thread.
    public static func postGetPINCaptchaTokenRequest(
        _ token: String, signature: String, hostURL: String,
        completion: @escaping @Sendable (PINCodeProvisioningJResponse) -> Void
    ) {
        fetch(token, signature, hostURL).start(completion)
    }

    /// Notifies the server whether the app showed a PIN that it fetched with a token (4.2.2).
    ///
    /// The parameters are those of the document's sample and of Android (4.2.1). Its table for iOS repeats that of 4.1.2, without the
    /// token that the operation needs.
    ///
    /// - Parameters:
    ///   - token: The token that the fetch sent.
    ///   - sessionId: The session of the fetch.
    ///   - status: Whether the app showed the PIN. Objective-C can pass other values: they give 90000.
    ///   - hostURL: The server's base URL.
    /// - Returns: The response. It waits for it: see ``PinCodeRequest``.
    @available(*, noasync, message: "it waits: call the function with a completion handler")
    public static func postNotifyTokenRequest(
        _ token: String, sessionId: String, status: GETPIN_STATUS, hostURL: String
    ) -> JResponse {
        notify(token, sessionId, status.rawValue, hostURL).wait()
    }

    /// Notifies the server whether the app showed a PIN that it fetched with a token (4.2.2).
    ///
    /// The parameters are those of the document's sample and of Android (4.2.1). Its table for iOS repeats that of 4.1.2, without the
    /// token that the operation needs.
    ///
    /// - Parameters:
    ///   - token: The token that the fetch sent.
    ///   - sessionId: The session of the fetch.
    ///   - status: Whether the app showed the PIN. Objective-C can pass other values: they give 90000.
    ///   - hostURL: The server's base URL.
    ///   - completion: Receives the response, once, on any thread.
    public static func postNotifyTokenRequest(
        _ token: String, sessionId: String, status: GETPIN_STATUS, hostURL: String,
        completion: @escaping @Sendable (JResponse) -> Void
    ) {
        notify(token, sessionId, status.rawValue, hostURL).start(completion)
    }
}
