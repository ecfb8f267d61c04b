/// How a delivery went, as the app saw it (SDK document, table 2).
public enum NotifyStatus: Int, CaseIterable, Codable, Sendable {
    /// The PIN was shown: the delivery is confirmed.
    case success = 0
    /// The server's answer could not be used.
    case serverError = 1
    /// The app could not show it.
    case appError = 2
}
