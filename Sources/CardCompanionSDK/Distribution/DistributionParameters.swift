public import CardCompanionAPI

/// What ``PINDistribution/postGetPINCaptchaRequest(_:hostUrl:session:)`` sends.
public struct ProvisioningParameters: Sendable, Redacted {
    /// The bank's name in the system.
    public var bankId: String
    /// The cardholder's unique identifier.
    public var uniqueId: String
    /// The cardholder's password.
    public var authCode: String
    /// Unix seconds, such as `1475255010`.
    public var timestamp: String
    /// The bank's HMAC over bankId + uniqueId + timestamp, see ``CryptoUtil``.
    public var hashMac: String

    /// Parameters in the document's order.
    public init(bankId: String, uniqueId: String, authCode: String, timestamp: String, hashMac: String) {
        self.bankId = bankId
        self.uniqueId = uniqueId
        self.authCode = authCode
        self.timestamp = timestamp
        self.hashMac = hashMac
    }
}

/// What ``PINDistribution/postNotifyRequest(_:hostUrl:session:)`` sends.
public struct NotifyParameters: Sendable {
    /// The bank's name in the system.
    public var bankId: String
    /// The cardholder's unique identifier.
    public var uniqueId: String
    /// ``ProvisioningResponse/sessionId``.
    public var sessionId: String
    /// How the display of the PIN went.
    public var status: NotifyStatus

    /// Parameters in the document's order.
    public init(bankId: String, uniqueId: String, sessionId: String, status: NotifyStatus) {
        self.bankId = bankId
        self.uniqueId = uniqueId
        self.sessionId = sessionId
        self.status = status
    }
}

/// What ``PINDistribution/postGetPINCaptchaTokenRequest(_:hostUrl:session:)`` sends.
public struct TokenProvisioningParameters: Sendable, Redacted {
    /// The token in JSON (section 5.4.1), exactly as it was signed.
    public var token: String
    /// The token's signature in base64.
    public var signature: String

    /// Parameters in the document's order.
    public init(token: String, signature: String) {
        self.token = token
        self.signature = signature
    }
}

/// What ``PINDistribution/postNotifyTokenRequest(_:hostUrl:session:)`` sends.
public struct TokenNotifyParameters: Sendable, Redacted {
    /// The token of the fetch.
    public var token: String
    /// ``ProvisioningResponse/sessionId``.
    public var sessionId: String
    /// How the display of the PIN went.
    public var status: NotifyStatus

    /// Parameters in the document's order.
    public init(token: String, sessionId: String, status: NotifyStatus) {
        self.token = token
        self.sessionId = sessionId
        self.status = status
    }
}
