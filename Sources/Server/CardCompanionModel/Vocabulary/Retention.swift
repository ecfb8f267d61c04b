/// What happens to a PIN after its delivery was confirmed.
package enum Retention: String, CaseIterable, Codable, Sendable {
    case erase
    /// It is kept for reminders, if the bank allows them. It is not delivered again.
    case keep
    /// It is kept, and can be delivered again.
    case keepRepeat = "keep-repeat"
}
