/// The outcome of a delivery, as the app reports it (SDK document, table 2).
public enum NotifyStatus: Int, CaseIterable, Codable, Sendable {
    /// The app showed the PIN. This confirms the delivery.
    case success = 0
    /// The app could not use the server's answer.
    case serverError = 1
    /// The app could not show the PIN.
    case appError = 2
}
