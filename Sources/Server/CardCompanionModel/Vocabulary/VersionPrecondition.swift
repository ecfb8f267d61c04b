/// What a change requires of the cardholder's version: If-Match and If-None-Match (RFC 9110 section 13).
package enum VersionPrecondition: Sendable, Equatable {
    case none
    /// If-Match: *
    case exists
    /// If-None-Match: *
    case isAbsent
    /// If-Match
    case version(Int64)

    package var version: Int64? {
        if case .version(let version) = self { version } else { nil }
    }
}
