/// The paths of the operations that the SDK calls, relative to the server's base URL.
public enum APIPath {
    /// PIN distribution by authentication code: fetch.
    public static let captcha = "/v1/pin-distribution/captcha"

    /// PIN distribution by authentication code: notify.
    public static let notify = "/v1/pin-distribution/notify"

    /// PIN distribution by token: fetch.
    public static let tokenCaptcha = "/v1/pin-distribution/token/captcha"

    /// PIN distribution by token: notify.
    public static let tokenNotify = "/v1/pin-distribution/token/notify"

    /// PIN definition: fetch a scrambled keypad.
    public static let keypadCoordinates = "/v1/pin-definition/keypad-coordinates"

    /// PIN definition by HMAC.
    public static let definePIN = "/v1/pin-definition/pin"

    /// PIN definition by token.
    public static let definePINToken = "/v1/pin-definition/token/pin"

    /// PIN definition by token and keypad indexes (CB).
    public static let definePINIndexes = "/v1/pin-definition/token/pin-indexes"

    /// The server's public keys, a JWK set. This path is GET; all others are POST.
    public static let keySet = "/.well-known/jwks.json"
}
