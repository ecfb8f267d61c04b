/// Why the state of a bank or a cardholder does not allow an export.
package enum PINExportRefusal: Error, Equatable, Sendable {
    /// The operator has not allowed exports for the bank.
    case notAllowed
    /// The bank has no valid encryption certificate for the answer.
    case noCertificate
    case noCardholder
    /// The cardholder has not defined their present PIN, or the server does not have it any more.
    case noDefinedPIN
    /// The key's rules are for PINs of another length.
    case otherPINLength
    /// The PAN was exported for another cardholder, or another PAN for this one.
    case boundOtherwise
    case tooManyNow(retryAfterSeconds: Int)
    case tooManyToday(retryAfterSeconds: Int)

    /// Those of all refusals.
    static let words = [
        Self.notAllowed, .noCertificate, .noCardholder, .noDefinedPIN, .otherPINLength, .boundOtherwise,
        .tooManyNow(retryAfterSeconds: 0), .tooManyToday(retryAfterSeconds: 0),
    ].map(\.word)

    /// For the audit trail, and for metrics.
    var word: String {
        switch self {
        case .notAllowed: "not-allowed"
        case .noCertificate: "no-certificate"
        case .noCardholder: "no-cardholder"
        case .noDefinedPIN: "no-defined-pin"
        case .otherPINLength: "other-pin-length"
        case .boundOtherwise: "bound-otherwise"
        case .tooManyNow: "too-many-now"
        case .tooManyToday: "too-many-today"
        }
    }
}
