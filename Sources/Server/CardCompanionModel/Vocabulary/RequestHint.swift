/// A wish of the app about the image of a PIN, which the bank can allow or ignore.
package enum RequestHint: String, CaseIterable, Codable, Sendable {
    case style, theme, scale
}
