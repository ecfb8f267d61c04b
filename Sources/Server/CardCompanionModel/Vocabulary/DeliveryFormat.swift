/// How a PIN is drawn.
package enum DeliveryFormat: String, CaseIterable, Codable, Sendable {
    /// One image of all digits.
    case captcha
    /// One image per digit, in random order.
    case digits
}
