/// The allowed characters of an authentication code.
package enum CodeAlphabet: String, StoredEnumeration, CaseIterable {
    case digits
    /// ASCII letters and digits.
    case alphanumeric
    /// ASCII from space to tilde.
    case printable
}
