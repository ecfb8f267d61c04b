public import CardCompanionAPI

/// The parameters of ``PINDefinition/postDefinePINRequest(_:hostUrl:session:)``.
public struct DefinitionParameters: Sendable, Redacted {
    /// The bank's identifier.
    public var bankId: String
    /// The cardholder's unique identifier.
    public var uniqueId: String
    /// Unix time in seconds, such as `1475255010`.
    public var timestamp: String
    /// The bank's HMAC-SHA-256 over bankId + uniqueId + timestamp in hex, see ``CryptoUtil``; or, with ``sealedPIN``, over
    /// bankId + uniqueId + timestamp + "." + ``SealedPIN/binding`` + ".".
    public var hashMac: String
    /// The PIN's digits, such as `1234`. Empty with ``sealedPIN``.
    public var pin: String
    /// A PIN that was sealed before, so that the hashMac could be bound to it.
    public var sealedPIN: SealedPIN?

    /// Creates the parameters, in the SDK document's order.
    public init(bankId: String, uniqueId: String, timestamp: String, hashMac: String, pin: String) {
        self.bankId = bankId
        self.uniqueId = uniqueId
        self.timestamp = timestamp
        self.hashMac = hashMac
        self.pin = pin
    }

    /// Creates the parameters for a PIN that was sealed before. The names are those that it was sealed for.
    public init(sealedPIN: SealedPIN, hashMac: String) {
        let names = sealedPIN.sealed?.request
        bankId = names?.bankId ?? ""
        uniqueId = names?.uniqueId ?? ""
        timestamp = names?.requestId ?? ""
        self.hashMac = hashMac
        pin = ""
        self.sealedPIN = sealedPIN
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
    /// The keypad that `indexes` refers to, see ``KeyPadCoordinatesResponse/keypadId``. Nil for the one that the session has
    /// fetched last for this cardholder. If two were requested at the same time, it is unknown which one the cardholder sees:
    /// then the result is 90000. It does not count with ``sealedPIN``, which has its own.
    public var keypadId: String?
    /// A PIN, or its indexes, that was sealed before, so that the token could be bound to it.
    public var sealedPIN: SealedPIN?

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

    /// Creates the parameters for a PIN, or for indexes, that was sealed before. The token's member `Binding` is
    /// ``SealedPIN/binding``.
    public init(token: String, signature: String, sealedPIN: SealedPIN) {
        self.token = token
        self.signature = signature
        self.sealedPIN = sealedPIN
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
