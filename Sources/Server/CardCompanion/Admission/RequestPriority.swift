/// Which requests are refused first when there are more than can be answered in time. The texts are for metrics and the log.
package enum RequestPriority: String, CaseIterable, Sendable {
    /// An app says that a PIN was shown. If that is lost, a PIN may be delivered twice.
    case confirmation
    /// A cardholder waits: a fetch, a keypad, a definition.
    case cardholder
    /// A back-end can call again.
    case backEnd = "back-end"
    case importing = "import"

    /// Of the limit, only so much is taken by this kind and those that come first; in percent.
    var sharePercent: Int {
        switch self {
        case .confirmation: 100
        case .cardholder: 90
        case .backEnd: 70
        case .importing: 50
        }
    }
}
