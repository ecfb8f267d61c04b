public import CardCompanionAPI

/// The parameters of ``PINDefinition/postDefinePINRequest(_:hostUrl:session:)``.
public struct DefinitionParameters: Sendable, Redacted {
    /// The bank's identifier.
    public var bankId: String
    /// The cardholder's unique identifier.
    public var uniqueId: String
    /// Unix time in seconds, such as `1475255010`.
    public var timestamp: String
    /// The bank's HMAC-SHA-256 over bankId + uniqueId + timestamp in hex, see ``CryptoUtil``.
    public var hashMac: String
    /// The PIN's digits, such as `1234`.
    public var pin: String

    /// Creates the parameters, in the SDK document's order.
    public init(bankId: String, uniqueId: String, timestamp: String, hashMac: String, pin: String) {
        self.bankId = bankId
        self.uniqueId = uniqueId
        self.timestamp = timestamp
        self.hashMac = hashMac
        self.pin = pin
    }
}

/// The parameters of ``PINDefinition/postDefinePINECDHRequest(_:hostUrl:session:)`` and
/// ``PINDefinition/postDefinePINECDHCBRequest(_:hostUrl:session:)``.
public struct DefinitionTokenParameters: Sendable, Redacted {
    /// The token in JSON (SDK document, section 5.4.1), byte for byte as the bank signed it.
    public var token: String
    /// The token's signature in base64.
    public var signature: String
    /// For a PIN without a keypad: its digits, such as `1234`.
    public var pin: String?
    /// For a PIN on a keypad: the index of each digit, such as `0,1,0,1`. See ``KeyPad/indexes(of:in:)``.
    public var indexes: String?
    /// The keypad that `indexes` refers to, see ``KeyPadCoordinatesResponse/keypadId``. Nil for the one keypad that the
    /// session has fetched for this cardholder since their last definition; if it has fetched several, the result is 90000.
    public var keypadId: String?

    /// Creates the parameters for a PIN in digits.
    public init(token: String, signature: String, pin: String) {
        self.token = token
        self.signature = signature
        self.pin = pin
    }

    /// Creates the parameters for a PIN in indexes into a keypad (CB).
    public init(token: String, signature: String, indexes: String, keypadId: String? = nil) {
        self.token = token
        self.signature = signature
        self.indexes = indexes
        self.keypadId = keypadId
    }
}

/// The parameters of ``PINDefinition/postGetKeyPadCoordinatesRequest(_:hostUrl:session:)``.
public struct KeyPadCoordinatesParameters: Sendable {
    /// The bank's identifier (IdBEL).
    public var bankId: String
    /// The cardholder's unique identifier (IdPorteur).
    public var uniqueId: String
    /// The number of places on the keypad, 10 to 60.
    public var keypadSize: Int

    /// Creates the parameters, in the SDK document's order.
    public init(bankId: String, uniqueId: String, keypadSize: Int) {
        self.bankId = bankId
        self.uniqueId = uniqueId
        self.keypadSize = keypadSize
    }
}
