/// The names of JSON members in requests, answers, tokens (SDK document, section 5.4) and delivered PINs.
public enum MemberName {
    // Requests.

    /// The bank's identifier.
    public static let bankId = "bankId"
    /// The cardholder's identifier.
    public static let uniqueId = "uniqueId"
    /// The cardholder's authentication code.
    public static let authCode = "authCode"
    /// Unix time in seconds.
    public static let timestamp = "timestamp"
    /// The bank's HMAC-SHA-256 over bankId + uniqueId + timestamp, in hex.
    public static let hashMac = "hashMac"
    /// The client's RSA key, new for each fetch: base64 of a DER SubjectPublicKeyInfo.
    public static let rsaPublicKey = "rsaPublicKey"
    /// The client's P-256 key, new for each fetch: base64 of a DER SubjectPublicKeyInfo.
    public static let ecdhPublicKey = "ecdhPublicKey"
    /// The identifier of the session that a fetch started.
    public static let sessionId = "sessionId"
    /// The outcome of the delivery, see ``NotifyStatus``.
    public static let status = "status"
    /// An HMAC which proves that the client could decrypt the delivery, in hex.
    public static let hash = "hash"
    /// The signed token: a string that contains JSON.
    public static let token = "token"
    /// The token's signature, in base64.
    public static let signature = "signature"
    /// The number of places on the keypad.
    public static let keypadSize = "keypadSize"
    /// The keypad's identifier.
    public static let keypadId = "keypadId"
    /// A PIN as a compact JWE, in requests and in answers.
    public static let pin = "pin"
    /// Indexes into a keypad, as a compact JWE.
    public static let indexes = "indexes"

    // Wishes of the app about the image of a PIN.

    /// `standard`, `strong` or `calm`.
    public static let style = "style"
    /// `light` or `dark`.
    public static let theme = "theme"
    /// How many pixels are along each side of a pixel of scale 1: 1, 2 or 3.
    public static let scale = "scale"
    /// A list of the formats that the app can show in addition to images: `text`.
    public static let formats = "formats"

    // Answers.

    /// The result code, see ``DistributionCode`` and ``DefinitionCode``.
    public static let errorCode = "errorCode"
    /// The code's meaning in words, for people.
    public static let errorMessage = "errorMessage"
    /// The digit at each place of the keypad, null if the place is empty.
    public static let keypad = "keypad"

    // The token.

    /// The bank's identifier.
    public static let idBEL = "IdBEL"
    /// The cardholder's identifier.
    public static let idPorteur = "IdPorteur"
    /// The service provider that authenticated the cardholder.
    public static let idFournisseur = "IdFournisseur"
    /// The transaction's identifier, which can be used once.
    public static let idTransaction = "IdTransaction"
    /// Unix time in seconds.
    public static let tokenTimestamp = "Timestamp"
    /// The token's purpose, see ``TokenType``.
    public static let tokenType = "Type"
    /// The alias of the bank's certificate that verifies the signature.
    public static let signatureCertAlias = "SignatureCertAlias"
    /// The digest of the app's key, or of the sealed PIN, that the token is bound to (protocol, section 2.2.1).
    public static let binding = "Binding"
    /// The cardholder's authentication code (PCI-CPP).
    public static let authenticationCode = "AuthenticationCode"

    // A delivered PIN's plaintext.

    /// `captcha` or `digits` for images, or `text`.
    public static let format = "format"
    /// The number of digits of the PIN.
    public static let length = "length"
    /// PNG images in base64.
    public static let images = "images"
    /// For `digits`: the index in `images` of each digit of the PIN, from left to right.
    public static let order = "order"
    /// For `text`: the PIN's digits.
    public static let text = "text"
    /// The HMAC key for the notify's `hash`: base64url of 32 bytes.
    public static let notifyKey = "notifyKey"
    /// The bank's text for the cardholder.
    public static let freeField = "freeField"
    /// Padding, so that the ciphertext's length reveals nothing.
    public static let padding = "padding"
}
