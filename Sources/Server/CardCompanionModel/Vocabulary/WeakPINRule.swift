/// Which PINs a cardholder may not choose.
package enum WeakPINRule: String, CaseIterable, Codable, Sendable {
    /// All digits are equal: 7777.
    case same
    /// Each digit is the previous one plus 1, modulo 10: 2345, 7890.
    case ascending
    /// Each digit is the previous one minus 1, modulo 10: 5432, 2109.
    case descending
    /// A repeated pair, or pairs of equal digits: 4545, 4455.
    case pairs
    /// The list of PINs that many people choose, and the bank's own list.
    case listed
}
