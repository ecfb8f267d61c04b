/// The body of ``APIPath/captcha``.
public struct CaptchaRequest: Codable, Sendable, Redacted {
    /// The bank's name.
    public var bankId: String
    /// The cardholder's identifier.
    public var uniqueId: String
    /// The cardholder's authentication code.
    public var authCode: String
    /// Unix seconds, ten digits.
    public var timestamp: String
    /// HMAC-SHA-256 over bankId + uniqueId + timestamp with the bank's key, in hex.
    public var hashMac: String
    /// Base64 of a DER SubjectPublicKeyInfo, RSA.
    public var rsaPublicKey: String

    /// A request with all its members.
    public init(
        bankId: String, uniqueId: String, authCode: String, timestamp: String, hashMac: String, rsaPublicKey: String
    ) {
        self.bankId = bankId
        self.uniqueId = uniqueId
        self.authCode = authCode
        self.timestamp = timestamp
        self.hashMac = hashMac
        self.rsaPublicKey = rsaPublicKey
    }
}

/// The body of ``APIPath/notify``.
public struct NotifyRequest: Codable, Sendable {
    /// The bank's name.
    public var bankId: String
    /// The cardholder's identifier.
    public var uniqueId: String
    /// The session that the fetch opened.
    public var sessionId: String
    /// A ``NotifyStatus``.
    public var status: Int
    /// HMAC-SHA-256 over bankId + uniqueId + sessionId + status with the delivery's notifyKey, in hex.
    public var hash: String

    /// A request with all its members.
    public init(bankId: String, uniqueId: String, sessionId: String, status: Int, hash: String) {
        self.bankId = bankId
        self.uniqueId = uniqueId
        self.sessionId = sessionId
        self.status = status
        self.hash = hash
    }
}

/// The body of ``APIPath/tokenCaptcha``.
public struct TokenCaptchaRequest: Codable, Sendable {
    /// The signed token, exactly as it was signed.
    public var token: String
    /// Base64 of its RSASSA-PKCS1-v1_5 SHA-256 signature.
    public var signature: String
    /// Base64 of a DER SubjectPublicKeyInfo, P-256.
    public var ecdhPublicKey: String

    /// A request with all its members.
    public init(token: String, signature: String, ecdhPublicKey: String) {
        self.token = token
        self.signature = signature
        self.ecdhPublicKey = ecdhPublicKey
    }
}

/// The body of ``APIPath/tokenNotify``.
public struct TokenNotifyRequest: Codable, Sendable {
    /// The token of the fetch.
    public var token: String
    /// The session that the fetch opened.
    public var sessionId: String
    /// A ``NotifyStatus``.
    public var status: Int
    /// HMAC-SHA-256 over IdBEL + IdPorteur + sessionId + status with the delivery's notifyKey, in hex.
    public var hash: String

    /// A request with all its members.
    public init(token: String, sessionId: String, status: Int, hash: String) {
        self.token = token
        self.sessionId = sessionId
        self.status = status
        self.hash = hash
    }
}

/// The body of ``APIPath/keypadCoordinates``.
public struct KeypadCoordinatesRequest: Codable, Sendable {
    /// The bank's name.
    public var bankId: String
    /// The cardholder's identifier.
    public var uniqueId: String
    /// How many places the keypad shall have, 10 to 60.
    public var keypadSize: Int

    /// A request with all its members.
    public init(bankId: String, uniqueId: String, keypadSize: Int) {
        self.bankId = bankId
        self.uniqueId = uniqueId
        self.keypadSize = keypadSize
    }
}

/// The body of ``APIPath/definePIN``.
public struct DefinePINRequest: Codable, Sendable {
    /// The bank's name.
    public var bankId: String
    /// The cardholder's identifier.
    public var uniqueId: String
    /// Unix seconds, ten digits.
    public var timestamp: String
    /// HMAC-SHA-256 over bankId + uniqueId + timestamp with the bank's key, in hex.
    public var hashMac: String
    /// The PIN as a compact JWE to the server's RSA key.
    public var pin: String

    /// A request with all its members.
    public init(bankId: String, uniqueId: String, timestamp: String, hashMac: String, pin: String) {
        self.bankId = bankId
        self.uniqueId = uniqueId
        self.timestamp = timestamp
        self.hashMac = hashMac
        self.pin = pin
    }
}

/// The body of ``APIPath/definePINToken``.
public struct DefinePINTokenRequest: Codable, Sendable {
    /// The signed token, exactly as it was signed.
    public var token: String
    /// Base64 of its RSASSA-PKCS1-v1_5 SHA-256 signature.
    public var signature: String
    /// The PIN as a compact JWE to the server's EC key.
    public var pin: String

    /// A request with all its members.
    public init(token: String, signature: String, pin: String) {
        self.token = token
        self.signature = signature
        self.pin = pin
    }
}

/// The body of ``APIPath/definePINIndexes``.
public struct DefinePINIndexesRequest: Codable, Sendable {
    /// The signed token, exactly as it was signed.
    public var token: String
    /// Base64 of its RSASSA-PKCS1-v1_5 SHA-256 signature.
    public var signature: String
    /// The indexes as a compact JWE to the server's EC key.
    public var indexes: String
    /// Which keypad they point into; the cardholder's newest one where it is absent.
    public var keypadId: String?

    /// A request with all its members.
    public init(token: String, signature: String, indexes: String, keypadId: String? = nil) {
        self.token = token
        self.signature = signature
        self.indexes = indexes
        self.keypadId = keypadId
    }
}
