public import CardCompanionAPI

/// What ``PINDefinition/postDefinePINRequest(_:hostUrl:session:)`` sends.
public struct DefinitionParameters: Sendable, Redacted {
    /// The bank's name in the system.
    public var bankId: String
    /// The cardholder's unique identifier.
    public var uniqueId: String
    /// Unix seconds, such as `1475255010`.
    public var timestamp: String
    /// The bank's HMAC over bankId + uniqueId + timestamp, see ``CryptoUtil``.
    public var hashMac: String
    /// The PIN's digits, such as `1234`.
    public var pin: String

    /// Parameters in the document's order.
    public init(bankId: String, uniqueId: String, timestamp: String, hashMac: String, pin: String) {
        self.bankId = bankId
        self.uniqueId = uniqueId
        self.timestamp = timestamp
        self.hashMac = hashMac
        self.pin = pin
    }
}

/// What ``PINDefinition/postDefinePINECDHRequest(_:hostUrl:session:)`` and
/// ``PINDefinition/postDefinePINECDHCBRequest(_:hostUrl:session:)`` send.
public struct DefinitionTokenParameters: Sendable, Redacted {
    /// The token in JSON (section 5.4.1), exactly as it was signed.
    public var token: String
    /// The token's signature in base64.
    public var signature: String
    /// Without a keypad: the PIN's digits, such as `1234`.
    public var pin: String?
    /// With a keypad: the places of the PIN's digits, such as `0,1,0,1`; see ``KeyPad/indexes(of:in:)``.
    public var indexes: String?
    /// Which keypad `indexes` points into: ``KeyPadCoordinatesResponse/keypadId``; nil for the newest one.
    public var keypadId: String?

    /// A PIN in digits.
    public init(token: String, signature: String, pin: String) {
        self.token = token
        self.signature = signature
        self.pin = pin
    }

    /// A PIN in places of a keypad (CB).
    public init(token: String, signature: String, indexes: String, keypadId: String? = nil) {
        self.token = token
        self.signature = signature
        self.indexes = indexes
        self.keypadId = keypadId
    }
}

/// What ``PINDefinition/postGetKeyPadCoordinatesRequest(_:hostUrl:session:)`` sends.
public struct KeyPadCoordinatesParameters: Sendable {
    /// The bank's name in the system (IdBEL).
    public var bankId: String
    /// The cardholder's unique identifier (IdPorteur).
    public var uniqueId: String
    /// How many places the keypad shall have, 10 to 60.
    public var keypadSize: Int

    /// Parameters in the document's order.
    public init(bankId: String, uniqueId: String, keypadSize: Int) {
        self.bankId = bankId
        self.uniqueId = uniqueId
        self.keypadSize = keypadSize
    }
}
