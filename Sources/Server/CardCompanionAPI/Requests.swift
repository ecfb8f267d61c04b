/// The body of ``APIPath/captcha``.
public struct CaptchaRequest: Codable, Sendable, Redacted {
    /// The bank's identifier.
    public var bankId: String
    /// The cardholder's identifier.
    public var uniqueId: String
    /// The cardholder's authentication code.
    public var authCode: String
    /// Unix time in seconds, ten digits.
    public var timestamp: String
    /// The HMAC-SHA-256 over bankId + uniqueId + timestamp with the bank's key, in hex.
    public var hashMac: String
    /// The client's RSA key: base64 of a DER SubjectPublicKeyInfo.
    public var rsaPublicKey: String
    /// How the app would like to get the PIN; the server ignores what the bank does not allow.
    public var style: String?
    /// See ``style``.
    public var theme: String?
    /// See ``style``.
    public var scale: Int?
    /// See ``style``.
    public var formats: [String]?

    /// Creates a request without hints.
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
    /// The bank's identifier.
    public var bankId: String
    /// The cardholder's identifier.
    public var uniqueId: String
    /// The identifier of the session that the fetch started.
    public var sessionId: String
    /// The raw value of a ``NotifyStatus``.
    public var status: Int
    /// The HMAC-SHA-256 over bankId + uniqueId + sessionId + status with the delivery's notifyKey, in hex.
    public var hash: String

    /// Creates a request. `hash` must fit the other values.
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
    /// The token, byte for byte as the bank signed it.
    public var token: String
    /// The token's RSASSA-PKCS1-v1_5 signature with SHA-256, in base64.
    public var signature: String
    /// The client's P-256 key: base64 of a DER SubjectPublicKeyInfo.
    public var ecdhPublicKey: String
    /// How the app would like to get the PIN; the server ignores what the bank does not allow.
    public var style: String?
    /// See ``style``.
    public var theme: String?
    /// See ``style``.
    public var scale: Int?
    /// See ``style``.
    public var formats: [String]?

    /// Creates a request without hints.
    public init(token: String, signature: String, ecdhPublicKey: String) {
        self.token = token
        self.signature = signature
        self.ecdhPublicKey = ecdhPublicKey
    }
}

/// The body of ``APIPath/tokenNotify``.
public struct TokenNotifyRequest: Codable, Sendable {
    /// The token that the fetch sent.
    public var token: String
    /// The identifier of the session that the fetch started.
    public var sessionId: String
    /// The raw value of a ``NotifyStatus``.
    public var status: Int
    /// The HMAC-SHA-256 over IdBEL + IdPorteur + sessionId + status with the delivery's notifyKey, in hex.
    public var hash: String

    /// Creates a request. `hash` must fit the other values.
    public init(token: String, sessionId: String, status: Int, hash: String) {
        self.token = token
        self.sessionId = sessionId
        self.status = status
        self.hash = hash
    }
}

/// The body of ``APIPath/keypadCoordinates``.
public struct KeypadCoordinatesRequest: Codable, Sendable {
    /// The bank's identifier.
    public var bankId: String
    /// The cardholder's identifier.
    public var uniqueId: String
    /// The number of places on the keypad, 10 to 60.
    public var keypadSize: Int

    /// Creates a request. Nothing in it authenticates the caller.
    public init(bankId: String, uniqueId: String, keypadSize: Int) {
        self.bankId = bankId
        self.uniqueId = uniqueId
        self.keypadSize = keypadSize
    }
}

/// The body of ``APIPath/definePIN``.
public struct DefinePINRequest: Codable, Sendable {
    /// The bank's identifier.
    public var bankId: String
    /// The cardholder's identifier.
    public var uniqueId: String
    /// Unix time in seconds, ten digits.
    public var timestamp: String
    /// The HMAC-SHA-256 over bankId + uniqueId + timestamp with the bank's key, in hex.
    public var hashMac: String
    /// The PIN, as a compact JWE encrypted to the server's RSA key.
    public var pin: String

    /// Creates a request with a PIN that is encrypted already.
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
    /// The token, byte for byte as the bank signed it.
    public var token: String
    /// The token's RSASSA-PKCS1-v1_5 signature with SHA-256, in base64.
    public var signature: String
    /// The PIN, as a compact JWE encrypted to the server's P-256 key.
    public var pin: String

    /// Creates a request with a PIN that is encrypted already.
    public init(token: String, signature: String, pin: String) {
        self.token = token
        self.signature = signature
        self.pin = pin
    }
}

/// The body of ``APIPath/definePINIndexes``.
public struct DefinePINIndexesRequest: Codable, Sendable {
    /// The token, byte for byte as the bank signed it.
    public var token: String
    /// The token's RSASSA-PKCS1-v1_5 signature with SHA-256, in base64.
    public var signature: String
    /// The indexes, as a compact JWE encrypted to the server's P-256 key.
    public var indexes: String
    /// The keypad that the indexes refer to. The server refuses a request without it (code 214).
    public var keypadId: String?

    /// Creates a request with indexes that are encrypted already.
    public init(token: String, signature: String, indexes: String, keypadId: String? = nil) {
        self.token = token
        self.signature = signature
        self.indexes = indexes
        self.keypadId = keypadId
    }
}
