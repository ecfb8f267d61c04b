public import CardCompanionAPI

/// The parameters of ``PINDistribution/postGetPINCaptchaRequest(_:hostUrl:session:)``.
public struct ProvisioningParameters: Sendable, Redacted {
    /// The bank's identifier.
    public var bankId: String
    /// The cardholder's unique identifier.
    public var uniqueId: String
    /// The cardholder's authentication code.
    public var authCode: String
    /// Unix time in seconds, such as `1475255010`.
    public var timestamp: String
    /// The bank's HMAC-SHA-256 over bankId + uniqueId + timestamp in hex, see ``CryptoUtil``; or, with ``preparedFetch``, over
    /// bankId + uniqueId + timestamp + "." + ``PreparedFetch/binding`` + ".".
    public var hashMac: String
    /// How the app would like to get the PIN.
    public var hints: DisplayHints
    /// The key that the hashMac is bound to. Nil: the SDK makes one, and the hashMac is not bound.
    public var preparedFetch: PreparedFetch?

    /// Creates the parameters, in the SDK document's order.
    public init(
        bankId: String, uniqueId: String, authCode: String, timestamp: String, hashMac: String,
        hints: DisplayHints = DisplayHints(), preparedFetch: PreparedFetch? = nil
    ) {
        self.bankId = bankId
        self.uniqueId = uniqueId
        self.authCode = authCode
        self.timestamp = timestamp
        self.hashMac = hashMac
        self.hints = hints
        self.preparedFetch = preparedFetch
    }
}

/// The parameters of ``PINDistribution/postNotifyRequest(_:hostUrl:session:)``.
public struct NotifyParameters: Sendable {
    /// The bank's identifier.
    public var bankId: String
    /// The cardholder's unique identifier.
    public var uniqueId: String
    /// The session of the fetch, see ``ProvisioningResponse/sessionId``.
    public var sessionId: String
    /// Whether the app showed the PIN.
    public var status: NotifyStatus

    /// Creates the parameters, in the SDK document's order.
    public init(bankId: String, uniqueId: String, sessionId: String, status: NotifyStatus) {
        self.bankId = bankId
        self.uniqueId = uniqueId
        self.sessionId = sessionId
        self.status = status
    }
}

/// The parameters of ``PINDistribution/postGetPINCaptchaTokenRequest(_:hostUrl:session:)``.
public struct TokenProvisioningParameters: Sendable, Redacted {
    /// The token in JSON (SDK document, section 5.4.1), byte for byte as the bank signed it.
    public var token: String
    /// The token's signature in base64.
    public var signature: String
    /// How the app would like to get the PIN.
    public var hints: DisplayHints
    /// The key that the token is bound to: its member `Binding` is ``PreparedFetch/binding``. Nil: the SDK makes one.
    public var preparedFetch: PreparedFetch?

    /// Creates the parameters, in the SDK document's order.
    public init(
        token: String, signature: String, hints: DisplayHints = DisplayHints(), preparedFetch: PreparedFetch? = nil
    ) {
        self.token = token
        self.signature = signature
        self.hints = hints
        self.preparedFetch = preparedFetch
    }
}

/// The parameters of ``PINDistribution/postNotifyTokenRequest(_:hostUrl:session:)``.
public struct TokenNotifyParameters: Sendable, Redacted {
    /// The token that the fetch sent.
    public var token: String
    /// The session of the fetch, see ``ProvisioningResponse/sessionId``.
    public var sessionId: String
    /// Whether the app showed the PIN.
    public var status: NotifyStatus

    /// Creates the parameters, in the SDK document's order.
    public init(token: String, sessionId: String, status: NotifyStatus) {
        self.token = token
        self.sessionId = sessionId
        self.status = status
    }
}
