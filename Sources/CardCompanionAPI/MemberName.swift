/// The names of JSON members: of requests and answers, of the token (section 5.4) and of a delivered PIN's plaintext.
public enum MemberName {
    // Requests.

    /// The bank's name.
    public static let bankId = "bankId"
    /// The cardholder's identifier.
    public static let uniqueId = "uniqueId"
    /// The cardholder's authentication code.
    public static let authCode = "authCode"
    /// Unix seconds.
    public static let timestamp = "timestamp"
    /// The bank's HMAC over bankId, uniqueId and timestamp, in hex.
    public static let hashMac = "hashMac"
    /// The client's fresh RSA key: base64 of a DER SubjectPublicKeyInfo.
    public static let rsaPublicKey = "rsaPublicKey"
    /// The client's fresh P-256 key: base64 of a DER SubjectPublicKeyInfo.
    public static let ecdhPublicKey = "ecdhPublicKey"
    /// The session that a fetch opened.
    public static let sessionId = "sessionId"
    /// How the delivery went, see ``NotifyStatus``.
    public static let status = "status"
    /// The client's proof that it could open the delivery, in hex.
    public static let hash = "hash"
    /// The signed token: a string that holds JSON.
    public static let token = "token"
    /// The token's signature, in base64.
    public static let signature = "signature"
    /// How many places the keypad shall have.
    public static let keypadSize = "keypadSize"
    /// The name of a keypad.
    public static let keypadId = "keypadId"
    /// A sealed PIN, in requests and in answers.
    public static let pin = "pin"
    /// Sealed indexes into a keypad.
    public static let indexes = "indexes"

    // Answers.

    /// The code, see ``DistributionCode`` and ``DefinitionCode``.
    public static let errorCode = "errorCode"
    /// The code's meaning, for people.
    public static let errorMessage = "errorMessage"
    /// The keypad: a digit or null at each place.
    public static let keypad = "keypad"

    // The token.

    /// The bank's name.
    public static let idBEL = "IdBEL"
    /// The cardholder's identifier.
    public static let idPorteur = "IdPorteur"
    /// The service provider that authenticated the cardholder.
    public static let idFournisseur = "IdFournisseur"
    /// The transaction's name, which serves once.
    public static let idTransaction = "IdTransaction"
    /// Unix seconds.
    public static let tokenTimestamp = "Timestamp"
    /// What the token is for, see ``TokenType``.
    public static let tokenType = "Type"
    /// Which of the bank's certificates verifies the signature.
    public static let signatureCertAlias = "SignatureCertAlias"
    /// The cardholder's authentication code (PCI-CPP).
    public static let authenticationCode = "AuthenticationCode"

    // A delivered PIN's plaintext.

    /// What the images are: `captcha` or `digits`.
    public static let format = "format"
    /// How many digits the PIN has.
    public static let length = "length"
    /// PNG images in base64.
    public static let images = "images"
    /// For `digits`: where in `images` each of the PIN's digits stands.
    public static let order = "order"
    /// The key of the notify's hash: base64url of 32 bytes.
    public static let notifyKey = "notifyKey"
    /// The bank's text to the cardholder.
    public static let freeField = "freeField"
    /// Filler, so that the length of what is sent says nothing.
    public static let padding = "padding"
}
