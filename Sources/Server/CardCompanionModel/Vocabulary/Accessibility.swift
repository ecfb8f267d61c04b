/// How a cardholder who cannot read the usual images gets the PIN.
package enum Accessibility: String, CaseIterable, Codable, Sendable {
    /// As images in the style ``ImageStyle/calm``.
    case calm
    /// As digits, which the app shows large or speaks, if the bank's settings and the app allow it; otherwise as `calm`.
    case text
}
