/// When a defined PIN works with the card, as the app is told.
package enum DefinedPINEffect: String, CaseIterable, Codable, Sendable {
    /// The app is told nothing.
    case unsaid
    case now
    /// The bank's host gets the PIN later.
    case later
}
