/// The allowed characters of an authentication code.
package enum CodeAlphabet: String, CaseIterable, Codable, Sendable {
    case digits
    /// ASCII letters and digits.
    case alphanumeric
    /// ASCII from space to tilde.
    case printable
}
