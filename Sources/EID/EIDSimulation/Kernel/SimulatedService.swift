public import EIDInterface

/// The service behind RUN_AUTH. It does not exist: nothing is sent to the token's address, and its answers say that it is a
/// simulation. It authenticates no one.
public struct SimulatedService: Sendable {
    /// What it must read.
    public var required: [AccessRight] = [.GivenNames, .FamilyName, .DocumentType]
    /// What it can read if the cardholder grants it. With `CanAllowed` the CAN is enough.
    public var optional: [AccessRight] = []
    /// What the cardholder confirms.
    public var transactionInfo: String?
    /// Whether it cannot be reached: AUTH comes twice.
    public var failsAtOnce = false

    /// A service that reads names.
    public init() {}

    /// No one owns the domain `invalid` (RFC 2606).
    static let address = "https://simulation.invalid/eid"

    /// What GET_CERTIFICATE shows.
    static var certificate: CertificateMessage? {
        guard let first = CalendarDate("2026-01-01"), let last = CalendarDate("2026-12-31") else { return nil }
        return CertificateMessage(
            description: .init(
                issuerName: "SIMULATION (no issuer)", issuerUrl: "https://issuer.simulation.invalid",
                subjectName: "SIMULATION (no service, authenticates nobody)", subjectUrl: address,
                termsOfUsage: "Name, Anschrift:\r\nSIMULATION\r\n\r\nZweck des Auslesevorgangs:\r\nSIMULATION\r\n\r\n"
                    + "Zuständige Datenschutzaufsicht:\r\nSIMULATION (no authority)",
                purpose: "SIMULATION"),
            validity: .init(effectiveDate: first, expirationDate: last))
    }

    /// How an authentication ends.
    enum End {
        case done, cancelled, failed
        /// Nothing answers at the address of the token.
        case unreachable
    }

    /// - Parameter hasReasons: whether the kernel's version gives reasons (from 1.26.3 on).
    static func result(_ end: End, hasReasons: Bool) -> AuthMessage {
        switch end {
        case .done:
            return .finished(AuthMessage.Outcome(major: AuthMessage.Outcome.ok), url: address + "?refID=simulation")
        case .cancelled:
            let text = "The process has been cancelled."
            return .finished(
                AuthMessage.Outcome(
                    major: AuthMessage.Outcome.failed, minor: AuthMessage.Outcome.cancelledByUser, language: "en",
                    description: text, message: text, reason: hasReasons ? "User_Cancelled" : nil),
                url: address + "?errID=simulation")
        case .unreachable:
            return .finished(
                AuthMessage.Outcome(
                    major: AuthMessage.Outcome.failed,
                    minor: "http://www.bsi.bund.de/ecard/api/1.1/resultminor/dp#trustedChannelEstablishmentFailed",
                    language: "en", description: "A trusted channel could not be opened.",
                    message: "The simulated service cannot be reached."),
                url: nil)
        case .failed:
            return .finished(
                AuthMessage.Outcome(
                    major: AuthMessage.Outcome.failed,
                    minor: "http://www.bsi.bund.de/ecard/api/1.1/resultminor/al/common#internalError", language: "en",
                    description: "An internal error has occurred during processing.",
                    message: "The simulated service has failed."),
                url: nil)
        }
    }
}
